import type { Sandbox } from '../../sandbox/contract.ts';
import { analyze } from '../analysis/analyze.ts';
import { eachChosenSchema } from '../analysis/rule.ts';
import { preflight } from '../analysis/rules.ts';
import type { Analyzed } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { validatorOf } from '../schemas/validator-of.ts';

/** Most patterns of one agreement that are matched in the sandbox: each may take as long as a step may. */
const maxPatterns = 5;

/** Most texts matched against one pattern, and the longest text in UTF-16 units. */
const [maxTexts, maxCharacters] = [200, 10_000];

/** Runs in the sandbox: a regular expression from a document is never run in the worker, where it could block. */
const matcher = `export function handle({ pattern, texts }) {
  let compiled;
  try { compiled = new RegExp(pattern, 'u'); } catch { compiled = new RegExp(pattern); }
  return texts.map((text) => compiled.test(text));
}
`;

/**
 * Analyzes a job's agreement and matches the data of its cases against all patterns of its schemas. Patterns that
 * cannot be matched in linear time run in the sandbox, under its time limit. What is left unmatched counts as matching,
 * and the preflight warns about it.
 */
export async function analyzeWithPatterns(job: Job, sandbox: Sandbox, signal: AbortSignal): Promise<Analyzed> {
  const asked = new Map<string, Set<string>>();
  const analyzed = analyze(job, (pattern, text) => {
    const texts = asked.get(pattern) ?? new Set();
    if (asked.size < maxPatterns || asked.has(pattern)) asked.set(pattern, texts);
    if (texts.size < maxTexts && text.length <= maxCharacters) texts.add(text);
    return undefined;
  });
  const isUnchecked = eachChosenSchema(analyzed.agreement).some(({ located }) => {
    const validator = validatorOf(located.schema);
    return validator.ok && validator.uncheckedPatterns.length > 0;
  });
  if (!isUnchecked) return analyzed;
  // Running the rules once collects every text that they need matched.
  preflight(analyzed);
  const known = await matched(asked, sandbox, signal);
  return analyze({ ...job }, (pattern, text) => known.get(pattern)?.get(text));
}

async function matched(
  asked: ReadonlyMap<string, ReadonlySet<string>>,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Map<string, Map<string, boolean>>> {
  const known = new Map<string, Map<string, boolean>>();
  if (asked.size === 0) return known;
  const handler = await sandbox.load(matcher, 'handle');
  try {
    const patterns = [...asked].map(([pattern, texts]) => ({ pattern, texts: [...texts] }));
    const run = { seed: 'patterns', nowMs: 0, tools: [], send: false };
    const runs = patterns.map((input) => ({ ...run, input: JSON.stringify(input) }));
    const reports = await handler.runAll(runs, async () => ({ error: { code: 'FAILED', message: 'none' } }), signal);
    for (const [index, { pattern, texts }] of patterns.entries()) {
      const { value } = reports[index] ?? {};
      const verdicts = value === undefined ? [] : (JSON.parse(value) as boolean[]);
      known.set(
        pattern,
        new Map(texts.flatMap((text, at) => (verdicts[at] === undefined ? [] : [[text, verdicts[at]]]))),
      );
    }
  } finally {
    await handler.close();
  }
  return known;
}
