import assert from 'node:assert/strict';
import { attack } from './attack.ts';

// Each run leaves so much behind, and looks how much is left: what could be told of it is what the first of them tells.
const ways: Readonly<Record<string, string>> = {
  'by array buffers': 'new ArrayBuffer(size)',
  'by typed arrays': 'new Float32Array(size / 4)',
  'by a subclass that swallows the failure':
    'new (class extends Uint8Array { constructor(length: number) { try { super(length); } catch { super(0); } if (this.length === 0) throw 0; } })(size)',
  'by a list of numbers': 'new Uint8Array({ length: size } as any)',
  'by a list that is gone through': 'Float64Array.from({ length: size / 8 } as any)',
  'by a copy': 'half.slice()',
  'by a copy of a kind that is not named': "Object.defineProperty(half, 'constructor', { value: undefined }).slice()",
  'by a copy of a buffer': 'half.buffer.slice(0)',
  'by a sorted copy': 'half.toSorted()',
  'by a copy with another item': 'half.with(0, 1)',
  'by a moved buffer': 'half.buffer.transfer(size)',
};

for (const [way, expression] of Object.entries(ways))
  attack(`state in the memory that is left ${way}`, {
    source: `export const handle = () => {
  const mb = 1_048_576;
  let half = new Uint8Array(1);
  let left = 0;
  for (let size = 4 * mb; size < 512 * mb; size += 4 * mb) {
    try {
      half = new Uint8Array(size);
      const made: any = ${expression};
      if (made === undefined) break;
      left = size;
    } catch {
      return { left };
    }
  }
  return { left };
};`,
    ends: ['out-of-memory'],
    runs: 2,
    check: (reports) => {
      for (const { value } of reports) assert.equal(value, undefined);
    },
  });

attack('state in the memory that is left, looked at later', {
  source: `export const handle = async (input: any, context: any) => {
  try {
    await context.call.look(1);
    new ArrayBuffer(500_000_000);
  } catch {}
  await context.call.look('after');
  return 'went on';
};`,
  ends: ['out-of-memory'],
  runs: 3,
  check: (reports) => {
    for (const { calls } of reports) assert.ok(calls.every(({ input }) => input === '1'));
  },
});

attack('state in the memory that is left, at every edge of the stack', {
  source: `const fails = (length: number): boolean => {
  try {
    new ArrayBuffer(length);
  } catch {
    return true;
  }
  return false;
};
let told = false;
const goDown = (): void => {
  try {
    goDown();
  } catch {}
  // From the deepest frame up: where the stack is too short for a small one, nothing is learnt of memory.
  told ||= !fails(8) && fails(1_000_000_000) && !fails(8);
};
export const handle = ({ index }: { index: number }) => {
  // Frames of another run begin elsewhere, a few words further down.
  ((...words: unknown[]) => goDown())(...Array.from({ length: 2 * index }));
  return told ? 'told' : 'nothing';
};`,
  ends: ['out-of-memory'],
  runs: 12,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, undefined);
  },
});

attack('memory that is refused for what runs before have left', {
  source: `class Given {
  constructor(given: any) {
    return given;
  }
}
class Kept extends Given {
  #kept = new Uint8Array(12_000_000);
}
export const handle = () => {
  new Kept(JSON);
  return 'kept';
};`,
  ends: ['returned'],
  runs: 12,
});
