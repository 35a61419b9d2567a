import { hash } from 'node:crypto';
import type { Asked, TypeChecker } from './type-checker.ts';
import { declareTypes, type TypeSources } from './types-from-schemas.ts';

/** The parts of the declarations that are given up one by one. */
const PARTS = ['requestSchema', 'responseSchema', 'taskInputSchema', 'taskOutputSchema', 'tools'] as const;

/** Agreements whose types are remembered. */
const MAX_REMEMBERED = 500;

/** By the digest of the declarations of all parts, those that a module can be held to. */
const remembered = new Map<string, string>();

/**
 * The text of `./types` for one agreement, as `declareTypes` has it, but with `any` for those schemas that a module cannot be held to for the compiler's
 * sake: no module is at fault for that. Looks once at each agreement. Rejects as `TypeChecker.admits` does.
 */
export async function fittingTypes(
  sources: TypeSources,
  checker: Pick<TypeChecker, 'admits'>,
  asked: Asked,
): Promise<string> {
  const whole = await declareTypes(sources);
  const key = hash('sha256', whole);
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const fitting = (await checker.admits(whole, asked)) ? whole : await loosened(sources, checker, asked);
  if (remembered.size >= MAX_REMEMBERED) for (const oldest of remembered.keys().take(1)) remembered.delete(oldest);
  remembered.set(key, fitting);
  return fitting;
}

/** Declarations of as many parts as a module can be held to together. */
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
