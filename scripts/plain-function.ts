/** The small handler that all benchmarks run: takes an order and returns its totals. */
export const handlerText = `function handle(request) {
  let total = 0;
  const lines = [];
  for (const item of request.items) {
    const price = item.price * item.quantity;
    total += price;
    lines.push({ sku: item.sku, price });
  }
  return { orderId: request.orderId, currency: request.currency, lines, total, count: request.items.length };
}`;

/** The input of the small handler, as JSON. */
export const input = JSON.stringify({
  orderId: 'order-4711',
  currency: 'EUR',
  customer: { name: 'Ada Example', address: 'Somewhere 1, 12345 Town' },
  items: [
    { sku: 'A-100', quantity: 2, price: 1250 },
    { sku: 'B-200', quantity: 1, price: 99 },
    { sku: 'C-300', quantity: 7, price: 5 },
  ],
});

/** The small handler as a plain function, with JSON on both sides. Its time shows the current speed of the machine. */
export function plainFunction(): () => void {
  const handle = new Function(`${handlerText}; return handle`)() as (request: unknown) => unknown;
  return () => {
    JSON.stringify(handle(JSON.parse(input)));
  };
}

/** CPU time of one call of the plain function, in microseconds: the lowest of ten samples. */
export function plainFunctionUs(): number {
  const plain = plainFunction();
  const samples = Array.from({ length: 10 }, () => {
    const started = process.cpuUsage();
    for (let call = 0; call < 2_000; call += 1) plain();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 2_000;
  });
  return Math.min(...samples);
}

/** The time of the plain function, in µs, when the targets in microseconds and milliseconds were set. */
export const plainUsOfTargets = 2.3;
