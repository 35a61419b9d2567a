import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

/** A position in a candidate's TypeScript: line and column from 1, and the text of that line. */
export interface SourcePosition {
  line: number;
  column: number;
  text: string;
}

const maxLineLength = 300;

/**
 * Maps positions in a bundle to the candidate's TypeScript, by the source map of the bundle (version 3, as JSON text).
 */
export function sourceLocator(
  source: string,
  map: string,
): (position: { line: number; column: number } | undefined) => SourcePosition | undefined {
  let trace: TraceMap | undefined;
  const lines = source.split(/\r\n|[\n\r]/);
  return (position) => {
    if (!position) return undefined;
    trace ??= new TraceMap(map);
    const original = originalPositionFor(trace, { line: position.line, column: position.column - 1 });
    if (original.line === null) return undefined;
    return {
      line: original.line,
      column: original.column + 1,
      text: (lines[original.line - 1] ?? '').trim().slice(0, maxLineLength),
    };
  };
}
