/** Longest name that is compared, in UTF-16 units. */
const maxLength = 80;

/**
 * The name that is most likely meant by a mistyped one; `undefined` if none is close. A name is close if at most a
 * third of its letters are wrong, missing, too many or exchanged with a neighbour.
 */
export function closestTo(given: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = distanceOf(given.slice(0, maxLength).toLowerCase(), name.slice(0, maxLength).toLowerCase());
    const isClose = distance <= Math.max(1, Math.floor(Math.min(name.length, given.length) / 3));
    if (isClose && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** The fewest letters to change, remove, add, or exchange with a neighbour (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const changed = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const least = Math.min(changed, (last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
      next.push(isExchanged ? Math.min(least, (before[column - 2] ?? row) + 1) : least);
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
