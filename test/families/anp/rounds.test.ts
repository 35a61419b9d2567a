import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decode,
  follow,
  MAX_ROUNDS,
  noRounds,
  type Party,
  type ProtocolNegotiation,
  peerQuirks,
  quirksOf,
  type RoundRules,
  type Rounds,
} from '../../../src/families/anp/door.ts';
import { filesIn, places, read } from './vectors.ts';

type Said = [by: Party, sequenceId: number, status: ProtocolNegotiation['status'], document?: string];
const [A, B] = ['initiator', 'responder'] as const;

const round = (sequenceId: number, status: Said[2], document: string): ProtocolNegotiation => ({
  action: 'protocolNegotiation',
  sequenceId,
  candidateProtocols: document,
  status,
});

/** Where a negotiation ends: its state, or the fault of the first message that may not follow. */
function played(said: readonly Said[], rules: RoundRules = {}): string {
  let rounds = noRounds;
  for (const [by, sequenceId, status, document = 'D'] of said) {
    const next = follow(rounds, round(sequenceId, status, document), by, rules);
    if (!next.ok) return next.fault;
    rounds = next.rounds;
  }
  return rounds.state;
}

const offers = (count: number): Said[] =>
  Array.from({ length: count }, (_, index) => [index % 2 === 0 ? A : B, index, 'negotiating']);

const table: [what: string, said: Said[], end: string][] = [
  [
    'an offer and its acceptance',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted'],
    ],
    'accepted',
  ],
  [
    'a counter-offer that is accepted',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'negotiating', 'E'],
      [A, 2, 'accepted', 'E'],
    ],
    'accepted',
  ],
  [
    'a refusal',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'rejected', ''],
    ],
    'rejected',
  ],
  [
    'an offer that timed out for its own sender',
    [
      [A, 0, 'negotiating'],
      [A, 1, 'timeout'],
    ],
    'timeout',
  ],
  ['a first number other than 0', [[A, 1, 'negotiating']], 'sequence'],
  [
    'a number said twice',
    [
      [A, 0, 'negotiating'],
      [B, 0, 'accepted'],
    ],
    'sequence',
  ],
  [
    'a number left out',
    [
      [A, 0, 'negotiating'],
      [B, 2, 'accepted'],
    ],
    'sequence',
  ],
  ['an acceptance of nothing', [[A, 0, 'accepted']], 'turn'],
  [
    'an acceptance of the own offer',
    [
      [A, 0, 'negotiating'],
      [A, 1, 'accepted'],
    ],
    'turn',
  ],
  [
    'two offers of one side',
    [
      [A, 0, 'negotiating'],
      [A, 1, 'negotiating'],
    ],
    'turn',
  ],
  [
    'an acceptance of another text',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted', 'D '],
    ],
    'document',
  ],
  [
    'an acceptance of an earlier text',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'negotiating', 'E'],
      [A, 2, 'accepted', 'D'],
    ],
    'document',
  ],
  [
    'an acceptance without the text',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted', ''],
    ],
    'document',
  ],
  [
    'an offer after a refusal',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'rejected'],
      [A, 2, 'negotiating'],
    ],
    'closed',
  ],
  [
    'a second acceptance',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted'],
      [A, 2, 'accepted'],
    ],
    'closed',
  ],
  [
    'an amended document after the acceptance',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted'],
      [B, 2, 'negotiating', 'E'],
      [A, 3, 'accepted', 'E'],
    ],
    'accepted',
  ],
  [
    'another offer of the side whose offer was accepted',
    [
      [A, 0, 'negotiating'],
      [B, 1, 'accepted'],
      [A, 2, 'negotiating', 'E'],
      [B, 3, 'accepted', 'E'],
    ],
    'accepted',
  ],
  ['ten rounds, the last an acceptance', [...offers(9), [B, 9, 'accepted']], 'accepted'],
  ['an eleventh round', offers(11), 'rounds'],
  ['an acceptance in the eleventh round', [...offers(10), [A, 10, 'accepted']], 'rounds'],
  ['a refusal after the tenth round', [...offers(10), [A, 10, 'rejected']], 'rejected'],
];
for (const [what, said, end] of table) test(`${what}: ${end}`, () => assert.equal(played(said), end));

test('an agent may allow fewer rounds', () => {
  assert.equal(played(offers(2), { maxRounds: 2 }), 'open');
  assert.equal(played(offers(3), { maxRounds: 2 }), 'rounds');
});

for (const { name, wire, skip } of places)
  test(`what a peer said follows for a reader that knows it, and for no other (${name})`, { skip }, () => {
    const quirks = quirksOf('anp', '0.9.2');
    const ends = { 'accept-first': 'accepted', 'one-counter-offer': 'accepted', reject: 'rejected' };
    for (const file of filesIn(wire, '.jsonl')) {
      const said = read(wire, file)
        .trim()
        .split('\n')
        .flatMap((line): Said[] => {
          const { from, hex } = JSON.parse(line);
          const decoded = decode(Buffer.from(hex, 'hex'));
          assert.ok(decoded.ok && decoded.content.type === 'meta');
          const { message } = decoded.content;
          if (message.action !== 'protocolNegotiation') return [];
          return [[from, message.sequenceId, message.status, message.candidateProtocols]];
        });
      const wanted = Object.entries(ends).find(([part]) => file.includes(part))?.[1];
      assert.equal(played(said, { quirks }), wanted, file);
      assert.equal(played(said), 'sequence', file);
      assert.equal(played(said, { quirks: ['rounds-from-one'] }), 'closed', file);
      const fromZero = said.map(([by, id, ...rest]): Said => [by, id - 1, ...rest]);
      assert.equal(played(fromZero, { quirks: ['end-repeated'] }), wanted, file);
    }
  });

test('an end is repeated only by the other side, with its own last number and the same text', () => {
  const rules: RoundRules = { quirks: ['end-repeated'] };
  const begun: Said[] = [
    [A, 0, 'negotiating'],
    [B, 1, 'accepted'],
  ];
  assert.equal(played([...begun, [A, 0, 'accepted']], rules), 'accepted');
  for (const said of [
    [A, 0, 'accepted', 'E'],
    [B, 1, 'accepted'],
    [A, 1, 'accepted'],
    [A, 0, 'rejected'],
    [B, 0, 'accepted'],
  ] as Said[])
    assert.equal(played([...begun, said], rules), 'closed', JSON.stringify(said));
});

test('the table of quirks names each peer and version once', () => {
  const rows = peerQuirks.flatMap(({ peer, versions }) => versions.map((version) => `${peer} ${version}`));
  assert.equal(new Set(rows).size, rows.length);
  assert.deepEqual(quirksOf('anp', '0.0.0'), []);
  assert.deepEqual(quirksOf('nobody', '1.0'), []);
});

test('the page of families names every peer of the table, with its versions', () => {
  const rows = read(import.meta.dirname, '../../../docs/families.md').split('\n');
  for (const { peer, versions } of peerQuirks) {
    const row = rows.find((line) => line.startsWith('|') && line.includes(peer) && line.includes(versions[0] ?? ''));
    assert.ok(row?.includes(versions.at(-1) ?? ''), peer);
  }
});

test('whatever is said, numbers rise by one, no text is accepted that nobody offered, and ten rounds are the most', () => {
  const said = fc.tuple(
    fc.constantFrom(A, B),
    fc.oneof({ weight: 3, arbitrary: fc.constant('next') }, fc.integer({ min: -1, max: 12 })),
    fc.constantFrom('negotiating', 'accepted', 'rejected', 'timeout'),
    fc.constantFrom('D', 'E'),
  );
  fc.assert(
    fc.property(fc.array(said, { maxLength: 40 }), (all) => {
      let rounds: Rounds = noRounds;
      const taken: Said[] = [];
      for (const [by, id, status, document] of all) {
        const sequenceId = id === 'next' ? (rounds.last ?? -1) + 1 : Number(id);
        const next = follow(rounds, round(sequenceId, status, document), by);
        if (!next.ok) continue;
        rounds = next.rounds;
        taken.push([by, sequenceId, status, document]);
      }
      assert.deepEqual(
        taken.map(([, id]) => id),
        taken.map((_, index) => index),
      );
      assert.ok(taken.filter(([, , status]) => status === 'negotiating' || status === 'accepted').length <= MAX_ROUNDS);
      for (const [index, [by, , status, document]] of taken.entries()) {
        if (status !== 'accepted') continue;
        const [offerer, , before, offered] = taken[index - 1] ?? [];
        assert.deepEqual([before, offered], ['negotiating', document]);
        assert.notEqual(offerer, by);
      }
    }),
  );
});
