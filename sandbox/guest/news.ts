import { mapGet, mapSet, NativeMap, stringify } from './primordials.ts';

// What waits to be told: the rows of the head and the lengths, written out by hand, since a `toJSON` that the guest has planted could make
// `stringify` say what it likes of other runs. A guest can call us with hardly any stack left: whatever may fail of it comes first, and then
// nothing is called until all is written down.

/** Stands for the logs and identifiers of a run that has none, as most; as the lists of `bareList` it inherits nothing. */
export interface Settled {
  run: number;
  logs: readonly string[];
  ids: readonly string[];
}

let plainRows = '';
/** The row of plain runs that may still grow, for they mostly follow one another. */
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
/** Whether a call that has to be answered from outside is among them. */
let asksOutside = false;
/** Calls that have been given their answers and were kept back, in their order. */
let givenRows = '';
let givenLengths = '';
let givenTexts = '';
let givenCount = 0;

/** So many calls, or so much of their texts, are kept back at most. */
const mostGiven = 32;
const mostGivenLength = 65_536;

/** Notes a run that returned and did nothing else. */
export function tellPlain(run: number, text: string): void {
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

/** Notes any other run that has ended. */
export function tellSettled({ run, logs, ids }: Settled, returned: boolean, text: string, stack: string): void {
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

/** Tools' names as they stand in a row; there are few, and none is the guest's. */
const quotedNames: Map<string, string> = new NativeMap();

/** A tool's name as it stands in a row. */
export function quoted(tool: string): string {
  let name = mapGet(quotedNames, tool);
  if (name === undefined) {
    name = stringify(tool);
    mapSet(quotedNames, tool, name);
  }
  return name;
}

/** Notes a call; `name` is quoted already. */
export function tellCall(run: number, call: number, name: string, answered: boolean, input: string): void {
  callRows += `${callRows === '' ? '' : ','}[${run},${call},${name},${answered ? 1 : 0}]`;
  callLengths += `${callLengths === '' ? '' : ','}${input.length}`;
  callTexts += input;
  if (!answered) asksOutside = true;
}

/**
 * Keeps back the calls that were noted, where they are all that there is to tell and have their answers at hand: the host learns of them with
 * the next news. Whether it did.
 */
export function keepCalls(): boolean {
  if (asksOutside || plainFirst !== plainNext || plainRows !== '' || settledRows !== '') return false;
  if (givenCount >= mostGiven || givenTexts.length + callTexts.length > mostGivenLength) return false;
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

/** All that was noted since the last time, packed (`GuestNews`); nothing where there is nothing. */
export function takeNews(): string {
  closePlainRow();
  if (plainRows === '' && settledRows === '' && callRows === '' && givenRows === '') return '';
  let lengths = givenLengths;
  if (plainLengths !== '') lengths += lengths === '' ? plainLengths : `,${plainLengths}`;
  if (settledLengths !== '') lengths += lengths === '' ? settledLengths : `,${settledLengths}`;
  if (callLengths !== '') lengths += lengths === '' ? callLengths : `,${callLengths}`;
  const news = `{"given":[${givenRows}],"plain":[${plainRows}],"settled":[${settledRows}],"calls":[${callRows}],"lengths":[${lengths}]}\n${givenTexts}${plainTexts}${settledTexts}${callTexts}`;
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
  return news;
}
