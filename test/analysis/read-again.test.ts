import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze, analyzeOpened } from '../../src/analysis/analyze.ts';
import { open, readAgain, readingOf } from '../../src/analysis/reading.ts';
import type { Job } from '../../src/contract/job.ts';
import { CaseValidation } from '../../src/documents/case-validation.ts';
import { hostileDocuments } from './hostile-documents.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const long = (fill: string) => ({ list: Array.from({ length: 60 }, (_, n) => `${fill}-${n}`) });

function readsAlike(job: Job, changed: Job): void {
  const again = readAgain(open(job), open(changed).texts);
  assert.deepEqual(analyzeOpened(again).agreement, analyze(changed).agreement);
  const { validation: _, ...second } = readingOf(again);
  const { validation: __, ...first } = readingOf(open(changed));
  assert.deepEqual(second, first);
}

test('rereading a slightly changed document equals reading it the first time', () => {
  const schema = { type: 'object', properties: { list: { type: 'array', items: { enum: long('x').list } } } };
  const document = documentOf(schema, { type: 'object' });
  const cases = casesOf([long('x'), long('y')], [long('x'), long('z')]);
  const job = sampleJob(document, cases);
  readsAlike(job, sampleJob(document, cases.replaceAll('Test Case 2', 'Test Case 7')));
  readsAlike(job, sampleJob(document, cases.replaceAll('"z-59"', '"z-60"').replaceAll('"x-1"', '1')));
  readsAlike(job, sampleJob(document, cases.replace('"y-0"', '"y-0",')));
  readsAlike(job, sampleJob(document.replace('"x-59"', '"x-60"'), cases));
  readsAlike(job, sampleJob(`${document}\n${JSON.stringify(schema)}`, `${cases}\n${cases}`));
});

test('rereading hostile documents with renumbered cases equals reading them the first time', () => {
  for (const name of ['one number for all cases', 'labels in nested lists', 'large cases']) {
    const { document, cases = '', more } = hostileDocuments[name]?.() ?? { document: '' };
    const renumbered = cases.replaceAll(/Test Case \d+/g, () => 'Test Case 3').replaceAll('"1"', '"2"');
    readsAlike(sampleJob(document, cases, more), sampleJob(`${document}\n`, renumbered, more));
  }
});

test('validations before a counter-offer are not repeated', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const [sound, broken] = [{ a: 'x' }, { a: 5 }];
  const before = new CaseValidation();
  assert.deepEqual([before.allows(schema, sound), before.violations(schema, broken).length], [true, 1]);
  const spent = new CaseValidation(undefined, 0, before);
  assert.deepEqual([spent.allows(schema, sound), spent.violations(schema, broken).length], [true, 1]);
  assert.equal(spent.allows(schema, { a: 'y' }), undefined);
  // Patterns left unmatched because they took too long are tried again.
  assert.equal(new CaseValidation(undefined, 1, spent).allows(schema, { a: 'z' }), true);
});
