import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const list = (items: Json): Json => ({ type: 'array', items });

test('an act that did nothing in the case takes nothing away where it fails', async () => {
  const letters: Agreed = {
    rules:
      'Each topic is ordered with `subscribe`; `added` is false where the address had it already, and such topics are not told. If a call of subscribe fails, that topic is skipped. `accepted` is true, unless the request breaks its schema.',
    request: object({ address: text, topics: list(text) }),
    response: object({ accepted: { type: 'boolean' }, topics: list(text) }),
    tools: [
      acting('subscribe', object({ address: text, topic: text }), object({ added: { type: 'boolean' } }), [
        [{ address: 'ida@example.net', topic: 'garden' }, { added: true }],
        [{ address: 'ida@example.net', topic: 'attic' }, { added: true }],
        [{ address: 'jon@example.net', topic: 'garden' }, { added: false }],
      ]),
    ],
    cases: [
      [
        { address: 'ida@example.net', topics: ['garden', 'attic'] },
        { accepted: true, topics: ['garden', 'attic'] },
      ],
      [
        { address: 'jon@example.net', topics: ['garden'] },
        { accepted: true, topics: [] },
      ],
      [
        { address: 'jon@example.net', topics: 'garden' },
        { accepted: false, topics: [] },
      ],
    ],
  };
  const handler = `export async function handle(request, { call }) {
  const { address, topics } = Object(request);
  const isList = Array.isArray(topics) && topics.every((topic) => typeof topic === 'string');
  if (typeof address !== 'string' || !isList) return { accepted: false, topics: [] };
  const added = [];
  for (const topic of topics) {
    const done = await call.subscribe({ address, topic }).catch(() => ({ added: false }));
    if (done.added) added.push(topic);
  }
  return { accepted: true, topics: added };
}`;
  assert.deepEqual(await refusalsOf(letters, handler, sandbox), []);
});

test('a number that two tools tell under one name may be had from either', async () => {
  const episode = object({ episode: text });
  const shows: Agreed = {
    rules:
      '`chapters` tells the chapters of an episode, `images` their pictures, each with the start of its chapter. The chapters are told with the url of theirs.',
    request: episode,
    response: object({ chapters: list(object({ start: integer, title: text, image: text }, ['image'])) }),
    tools: [
      reading('chapters', episode, list(object({ start: integer, title: text })), [
        [
          { episode: 'ep-7731' },
          [
            { start: 35, title: 'Owls' },
            { start: 610, title: 'Moths' },
          ],
        ],
        [{ episode: 'ep-2290' }, [{ start: 41, title: 'Bats' }]],
      ]),
      reading('images', episode, list(object({ start: integer, url: text })), [
        [{ episode: 'ep-7731' }, [{ start: 610, url: 'img/4417' }]],
        [{ episode: 'ep-2290' }, []],
      ]),
    ],
    cases: [
      [
        { episode: 'ep-7731' },
        {
          chapters: [
            { start: 35, title: 'Owls' },
            { start: 610, title: 'Moths', image: 'img/4417' },
          ],
        },
      ],
      [{ episode: 'ep-2290' }, { chapters: [{ start: 41, title: 'Bats' }] }],
    ],
  };
  const handler = `export async function handle({ episode }, { call }) {
  const chapters = await call.chapters({ episode: String(episode) });
  const images = await call.images({ episode: String(episode) });
  return {
    chapters: chapters.map(({ start, title }) => {
      const image = images.find((one) => one.start === start);
      return image ? { start, title, image: image.url } : { start, title };
    }),
  };
}`;
  assert.deepEqual(await refusalsOf(shows, handler, sandbox), []);
});

test('what a request has and the cases tell is no secret', async () => {
  const gift = object({ gift: integer });
  const wishes: Agreed = {
    rules:
      'Free gifts of the list are taken with `claim` and told in `yours`, those that are not free in `gone`. The address of the house is never part of the answer, nor who bought the other gifts.',
    request: object({ guest: text, gifts: list(integer) }),
    response: object({ yours: list(integer), gone: list(integer) }),
    tools: [
      reading(
        'holder',
        gift,
        { type: ['string', 'null'] },
        [
          [{ gift: 3 }, null],
          [{ gift: 5 }, 'Ottilie Brandt'],
          [{ gift: 8 }, null],
        ],
        null,
      ),
      acting('claim', object({ gift: integer, guest: text }), { type: 'null' }, [], null),
    ],
    cases: [
      [
        { guest: 'Jan Kowal', gifts: [3, 5] },
        { yours: [3], gone: [5] },
      ],
      [
        { guest: 'Mei Lindqvist', gifts: [8] },
        { yours: [8], gone: [] },
      ],
    ],
  };
  const handler = `export async function handle({ guest, gifts }, { call }) {
  const [yours, gone] = [[], []];
  for (const gift of Array.isArray(gifts) ? gifts : []) {
    if ((await call.holder({ gift })) !== null) gone.push(gift);
    else {
      await call.claim({ gift, guest: String(guest) });
      yours.push(gift);
    }
  }
  return { yours, gone };
}`;
  assert.deepEqual(await refusalsOf(wishes, handler, sandbox), []);
});

test('a day that is worked out of another one, in another year, has followed it', async () => {
  const films: Agreed = {
    rules:
      'Text of one line `FILM <title> <day> <days>`. Answer: `BACK <day>`, that many days later, or `NO <word>` with the first word that is wrong.',
    cases: [
      ['FILM Metropolis 2026-03-02 10\n', 'BACK 2026-03-12\n'],
      ['FILM Nosferatu 2026-12-24 10\n', 'BACK 2027-01-03\n'],
      ['FILM Faust 2026-05-11 21\n', 'BACK 2026-06-01\n'],
      ['FILM Faust tomorrow 21\n', 'NO tomorrow\n'],
    ],
  };
  const handler = `export async function handle(line) {
  const [, , day, days] = String(line).trim().split(' ');
  const from = Date.parse(String(day));
  if (Number.isNaN(from)) return 'NO ' + day + '\\n';
  return 'BACK ' + new Date(from + Number(days) * 86400000).toISOString().slice(0, 10) + '\\n';
}`;
  assert.deepEqual(await refusalsOf(films, handler, sandbox), []);
});

test('where the document lists what makes a request wrong, a word that the schema has not may be answered otherwise', async () => {
  const weight: Json = { type: 'integer', minimum: 0, maximum: 60_000 };
  const loads: Agreed = {
    rules:
      'The net of a load is gross minus tare; without any the answer is weighing error. A material other than basalt: wrong material. A request with missing members or weights that are not whole numbers between 0 and 60000 is answered with `weighing error` as well.',
    request: object({ plate: text, material: { enum: ['sand', 'basalt'] }, tare: weight, gross: weight }),
    response: object({ outcome: { enum: ['note', 'wrong material', 'weighing error'] }, net: integer }, ['net']),
    cases: [
      [
        { plate: 'AB-7731', material: 'basalt', tare: 11_520, gross: 39_875 },
        { outcome: 'note', net: 28_355 },
      ],
      [
        { plate: 'CD-2290', material: 'basalt', tare: 9_310, gross: 25_040 },
        { outcome: 'note', net: 15_730 },
      ],
      [{ plate: 'CD-2290', material: 'sand', tare: 9_310, gross: 25_040 }, { outcome: 'wrong material' }],
      [{ plate: 'EF-4417', material: 'basalt', tare: 9_310 }, { outcome: 'weighing error' }],
    ],
  };
  const handler = `export function handle(request) {
  const { plate, material, tare, gross } = Object(request);
  const isWeight = (value) => Number.isInteger(value) && value >= 0 && value <= 60000;
  if (typeof plate !== 'string' || typeof material !== 'string' || !isWeight(tare) || !isWeight(gross) || gross <= tare)
    return { outcome: 'weighing error' };
  return material === 'basalt' ? { outcome: 'note', net: gross - tare } : { outcome: 'wrong material' };
}`;
  assert.deepEqual(await refusalsOf(loads, handler, sandbox), []);
});
