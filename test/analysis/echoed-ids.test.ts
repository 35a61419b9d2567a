import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Json } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const OPEN: Json = { type: 'object' };

test('numbers of files are known in other languages, small ones too where the document has them repeated', () => {
  const isSlip = (prose: string, name: string, ...ids: Json[]) => {
    const cases = casesOf(
      ...ids.map((id, n): [Json, Json] => [{ [name]: id }, { [name]: n === 2 ? (ids[0] ?? 0) : id }]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.some(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
  };
  assert.equal(isSlip('`folio` se devuelve tal cual.', 'folio', 71, 72, 73), true);
  assert.equal(isSlip('`folio` es un entero.', 'folio', 71, 72, 73), false);
  assert.equal(isSlip('Si `folio` es igual a 0, no hay nada.', 'folio', 71, 72, 73), false);
  assert.equal(isSlip('O `protocolo` repete o do pedido.', 'protocolo', 'c-1', 'c-2', 'c-3'), true);
  assert.equal(isSlip('`номер` возвращается без изменений.', 'номер', 'н-1', 'н-2', 'н-3'), true);
  assert.equal(isSlip('依頼番号はそのまま返す。', '依頼番号', 'r-1', 'r-2', 'r-3'), true);
});

test('a file number that the document has repeated tells no cases apart in other languages either', () => {
  const document = documentOf(OPEN, OPEN, 'O `protocolo` repete o do pedido.');
  const contradicts = (name: string, nome: string) => {
    const cases = casesOf(
      [
        { [name]: 'c-1', perfil: 'x' },
        { [name]: 'c-1', nome: 'Ana' },
      ],
      [
        { [name]: 'c-2', perfil: 'x' },
        { [name]: 'c-2', nome },
      ],
    );
    return preflight(analyze(sampleJob(document, cases))).some(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
  };
  assert.equal(contradicts('protocolo', 'Rui'), true);
  assert.equal(contradicts('protocolo', 'Ana'), false);
  assert.equal(contradicts('paciente', 'Rui'), false);
});
