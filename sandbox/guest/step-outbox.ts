import { mapGet, mapSet, NativeMap, stringify } from './primordials.ts';

// The output of a step: the rows of its header and the lengths. They are written by hand, since a `toJSON` that the
// guest has planted could make `stringify` lie about other runs. A guest can call us with hardly any stack left. So
// everything that may fail for lack of stack comes first, and from then on nothing is called until all is noted.

/** A run that has ended. Its lists come from `bareList`, so that they inherit nothing. */
export interface EndedRun {
  run: number;
  logs: readonly string[];
  ids: readonly string[];
}

let plainRows = '';
/** The row of plain runs that may still grow: they mostly follow one another. */
let plainFirst = 0;
let plainNext = 0;
let plainLengths = '';
let plainTexts = '';
let settledRows = '';
let settledLengths = '';
let settledTexts = '';
let callRows = '';
let callLengths = '';
let callTexts = '';
/** Whether one of the calls has to be answered from outside. */
let asksOutside = false;
/** Calls that have their answers already and were held back, in their order. */
let givenRows = '';
let givenLengths = '';
let givenTexts = '';
let givenCount = 0;

/** How many calls are held back at most, and how long their texts are together. */
const maxGiven = 32;
const maxGivenLength = 65_536;

/** Queues a run that returned and did nothing else. */
export function queueReturn(run: number, text: string): void {
  if (run === plainNext && plainFirst < plainNext) plainNext += 1;
  else {
    closePlainRow();
    plainFirst = run;
    plainNext = run + 1;
  }
  plainLengths += plainLengths === '' ? `${text.length}` : `,${text.length}`;
  plainTexts += text;
}

function closePlainRow(): void {
  if (plainFirst === plainNext) return;
  plainRows += `${plainRows === '' ? '' : ','}${plainFirst},${plainNext - plainFirst}`;
  plainFirst = plainNext;
}

/** Queues any other run that has ended. */
export function queueEnd({ run, logs, ids }: EndedRun, returned: boolean, text: string, stack: string): void {
  let idList = '';
  for (let index = 0; index < ids.length; index += 1) idList += `${index === 0 ? '' : ','}"${ids[index] as string}"`;
  settledRows += `${settledRows === '' ? '' : ','}[${run},${returned ? 1 : 0},${logs.length},[${idList}]]`;
  settledLengths += `${settledLengths === '' ? '' : ','}${text.length}`;
  settledTexts += text;
  if (!returned) {
    settledLengths += `,${stack.length}`;
    settledTexts += stack;
  }
  for (let index = 0; index < logs.length; index += 1) {
    const line = logs[index] as string;
    settledLengths += `,${line.length}`;
    settledTexts += line;
  }
}

/** Names of tools as JSON. There are few, and the guest makes up none. */
const quotedNames: Map<string, string> = new NativeMap();

/** The name of a tool as JSON. */
export function quoted(tool: string): string {
  let name = mapGet(quotedNames, tool);
  if (name === undefined) {
    name = stringify(tool);
    mapSet(quotedNames, tool, name);
  }
  return name;
}

/** Queues a call; `name` is JSON already. */
export function queueCall(run: number, call: number, name: string, answered: boolean, input: string): void {
  callRows += `${callRows === '' ? '' : ','}[${run},${call},${name},${answered ? 1 : 0}]`;
  callLengths += `${callLengths === '' ? '' : ','}${input.length}`;
  callTexts += input;
  if (!answered) asksOutside = true;
}

/**
 * Holds back the queued calls for the next output, if nothing else is queued and all their answers are at hand. Whether
 * it did.
 */
export function holdBackCalls(): boolean {
  if (asksOutside || plainFirst !== plainNext || plainRows !== '' || settledRows !== '') return false;
  if (givenCount >= maxGiven || givenTexts.length + callTexts.length > maxGivenLength) return false;
  if (callRows === '') return true;
  const comma = givenRows === '' ? '' : ',';
  givenRows += comma + callRows;
  givenLengths += comma + callLengths;
  givenTexts += callTexts;
  givenCount += 1;
  callRows = '';
  callLengths = '';
  callTexts = '';
  return true;
}

/** Takes all that was queued since the last time, packed (`GuestOutput`); an empty text if nothing was. */
export function takeOutput(): string {
  closePlainRow();
  if (plainRows === '' && settledRows === '' && callRows === '' && givenRows === '') return '';
  let lengths = givenLengths;
  if (plainLengths !== '') lengths += lengths === '' ? plainLengths : `,${plainLengths}`;
  if (settledLengths !== '') lengths += lengths === '' ? settledLengths : `,${settledLengths}`;
  if (callLengths !== '') lengths += lengths === '' ? callLengths : `,${callLengths}`;
  const output = `{"given":[${givenRows}],"plain":[${plainRows}],"settled":[${settledRows}],"calls":[${callRows}],"lengths":[${lengths}]}\n${givenTexts}${plainTexts}${settledTexts}${callTexts}`;
  givenRows = '';
  givenLengths = '';
  givenTexts = '';
  givenCount = 0;
  plainRows = '';
  plainLengths = '';
  plainTexts = '';
  settledRows = '';
  settledLengths = '';
  settledTexts = '';
  callRows = '';
  callLengths = '';
  callTexts = '';
  asksOutside = false;
  return output;
}
