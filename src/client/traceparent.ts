/** Where the OpenTelemetry API keeps what a program registered with it; the API's own name, for its major version 1. */
const registered = Symbol.for('opentelemetry.js.api.1');

/**
 * The trace context of the caller's active span (W3C `traceparent`), if the program registered an OpenTelemetry SDK.
 * The API is loaded only then.
 */
export async function activeTraceparent(): Promise<string | undefined> {
  if (!(registered in globalThis)) return undefined;
  const { isSpanContextValid, trace } = await import('@opentelemetry/api');
  const context = trace.getActiveSpan()?.spanContext();
  if (context === undefined || !isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags } = context;
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}
