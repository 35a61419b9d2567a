import { stringify } from './primordials.ts';

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

/** A tool's name as it stands in a row. */
export function quoted(tool: string): string {
  return stringify(tool);
}

/** Notes a call; `name` is quoted already. */
export function tellCall(run: number, call: number, name: string, answered: boolean, input: string): void {
  callRows += `${callRows === '' ? '' : ','}[${run},${call},${name},${answered ? 1 : 0}]`;
  callLengths += `${callLengths === '' ? '' : ','}${input.length}`;
  callTexts += input;
}

/** All that was noted since the last time, packed (`GuestNews`); nothing where there is nothing. */
export function takeNews(): string {
  closePlainRow();
  if (plainRows === '' && settledRows === '' && callRows === '') return '';
  let lengths = plainLengths;
  if (settledLengths !== '') lengths += lengths === '' ? settledLengths : `,${settledLengths}`;
  if (callLengths !== '') lengths += lengths === '' ? callLengths : `,${callLengths}`;
  const news = `{"plain":[${plainRows}],"settled":[${settledRows}],"calls":[${callRows}],"lengths":[${lengths}]}\n${plainTexts}${settledTexts}${callTexts}`;
  plainRows = '';
  plainLengths = '';
  plainTexts = '';
  settledRows = '';
  settledLengths = '';
  settledTexts = '';
  callRows = '';
  callLengths = '';
  callTexts = '';
  return news;
}
