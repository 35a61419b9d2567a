import { hash } from 'node:crypto';
import type { Asked, TypeChecker } from './type-checker.ts';
import { declareTypes, type TypeSources } from './types-from-schemas.ts';

/** The parts of the declarations that can be replaced by `any`, one by one. */
const PARTS = ['requestSchema', 'responseSchema', 'taskInputSchema', 'taskOutputSchema', 'tools'] as const;

/** Most agreements in the cache. */
const MAX_CACHED = 500;

/** The usable declarations, by the digest of the complete ones. */
const cache = new Map<string, string>();

/**
 * The text of `./types` for one agreement, as from `declareTypes`, with `any` for the schemas that are too expensive
 * for the compiler. A module is not at fault for these. Cached per agreement. Rejects as `TypeChecker.admits` does.
 */
export async function fittingTypes(
  sources: TypeSources,
  checker: Pick<TypeChecker, 'admits'>,
  asked: Asked,
): Promise<string> {
  const whole = await declareTypes(sources);
  const key = hash('sha256', whole);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const fitting = (await checker.admits(whole, asked)) ? whole : await loosened(sources, checker, asked);
  if (cache.size >= MAX_CACHED) for (const oldest of cache.keys().take(1)) cache.delete(oldest);
  cache.set(key, fitting);
  return fitting;
}

/** Declarations with as many parts as the compiler can handle together. */
async function loosened(sources: TypeSources, checker: Pick<TypeChecker, 'admits'>, asked: Asked): Promise<string> {
  let kept = PARTS.reduce(withoutPart, sources);
  for (const part of PARTS) {
    const more = { ...kept, [part]: sources[part] };
    const types = await declareTypes(more);
    if (types !== (await declareTypes(kept)) && (await checker.admits(types, asked))) kept = more;
  }
  return declareTypes(kept);
}

function withoutPart(sources: TypeSources, part: (typeof PARTS)[number]): TypeSources {
  if (part !== 'tools') return { ...sources, [part]: undefined };
  const tools = sources.tools.map(({ inputSchema: _, outputSchema: __, ...tool }) => tool);
  return { ...sources, tools };
}
