import type { LocatedJson } from '../../documents/located-json.ts';

/**
 * A JSON value as Python's `json.dumps(value, sort_keys=True)` writes it again: digests are taken of that text.
 * Numbers are read from the text that the value was written in, where `1.0` and `1` differ.
 */
export function pythonJson(node: LocatedJson, text: string): string {
  if (node.items !== undefined) return `[${node.items.map((item) => pythonJson(item, text)).join(', ')}]`;
  if (node.members !== undefined)
    return pythonObject(node.members.map(({ name, node: member }) => [name, pythonJson(member, text)]));
  if (typeof node.value === 'string') return pythonString(node.value);
  return typeof node.value === 'number' ? pythonNumber(text.slice(node.start, node.end)) : String(node.value);
}

/** An object of members that are written already; of two with one name the last one counts. */
export function pythonObject(members: readonly (readonly [name: string, written: string])[]): string {
  const sorted = [...new Map(members)].sort(([one], [other]) => byCodePoint(one, other));
  return `{${sorted.map(([name, written]) => `${pythonString(name)}: ${written}`).join(', ')}}`;
}

/** Orders texts as Python does, by code points; UTF-16 units have another order above U+FFFF. */
export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogates stand for what comes after every other unit. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

function pythonString(value: string): string {
  const escaped = value.replace(
    /[\\"]|[^ -~]/g,
    (unit) => SHORT[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function pythonNumber(numeral: string): string {
  if (!/[.eE]/.test(numeral)) return numeral === '-0' ? '0' : numeral;
  const value = Number(numeral);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [, sign = '', first = '', more = '', power = ''] =
    /^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(value.toExponential()) ?? [];
  const exponent = Number(power);
  const digits = `${first}${more}`;
  // Where Python's repr changes to an exponent.
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${first}${more === '' ? '' : `.${more}`}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}
