/**
 * Items handled concurrently: one after the other, the last of a large batch would wait for all round trips before it.
 */
const AT_ONCE = 20;

/** Calls `act` for each item. Reports failures to `onError` and goes on. Resolves to the number of failures. */
export async function eachOf<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<number> {
  let failed = 0;
  const tolerantly = (item: Item) =>
    act(item).catch((error: unknown) => {
      failed += 1;
      onError(error);
    });
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(tolerantly));
  return failed;
}
