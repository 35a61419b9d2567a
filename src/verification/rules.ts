import type { Code } from '../kernel/errors.ts';

/** The runs that a rule needs. */
type Needs =
  /** The source, the cases' runs, or runs of other checks. */
  | 'no runs'
  | 'cases again'
  /** A case with other data, keys, list items or single values in the request and in all answers. */
  | 'other requests'
  /** A case's request with other answers, or failures, of tools or peer. */
  | 'other answers'
  | 'generated requests'
  /** The cases that a reader derived from the document. */
  | 'derived cases';

interface Rule {
  id: string;
  needs: Needs;
  code: Code;
  /** An error refuses the candidate; a warning goes to the report and to a repair. */
  severity: 'error' | 'warning';
  /** Whether a breach proves that the candidate is memorised: a table of the examples. */
  provesMemorised?: true;
  /** Whether the document's words may allow a breach, so that a judge may be asked. */
  mayBeAppealed?: true;
}

const memorised = { code: 'CANDIDATE_HARD_CODED', severity: 'error', provesMemorised: true } as const;
const doubt = { code: 'CANDIDATE_NOT_FOLLOWED', severity: 'warning' } as const;
const uncalled = { code: 'CANDIDATE_TOOL_UNUSED', severity: 'error', provesMemorised: true } as const;
const breaks = { code: 'CANDIDATE_BREAKS_ON_REQUEST', severity: 'error' } as const;
const mayBreak = { code: 'CANDIDATE_BREAKS_ON_REQUEST', severity: 'warning' } as const;
const leak = { code: 'CANDIDATE_LEAK', severity: 'error' } as const;
const peer = { code: 'CANDIDATE_PEER_FAILURE', severity: 'error' } as const;

const table = [
  { id: 'literal-audit/told-value', needs: 'no runs', ...memorised },
  { id: 'literal-audit/told-name', needs: 'no runs', ...doubt },
  { id: 'literal-audit/answered-value', needs: 'other requests', ...memorised },
  { id: 'literal-audit/answered-text', needs: 'other requests', ...doubt },
  { id: 'determinism/same-run', needs: 'cases again', code: 'CANDIDATE_NOT_DETERMINISTIC', severity: 'error' },
  { id: 'determinism/later-run', needs: 'cases again', code: 'CANDIDATE_NOT_DETERMINISTIC', severity: 'error' },
  {
    id: 'determinism/other-time',
    needs: 'cases again',
    code: 'CANDIDATE_NOT_DETERMINISTIC',
    severity: 'error',
    mayBeAppealed: true,
  },
  {
    id: 'member-order/answer-follows',
    needs: 'cases again',
    code: 'CANDIDATE_NOT_DETERMINISTIC',
    severity: 'error',
    mayBeAppealed: true,
  },
  { id: 'leaks/hidden-words', needs: 'no runs', code: 'CANDIDATE_HARD_CODED', severity: 'error' },
  { id: 'leaks/hidden-member', needs: 'no runs', code: 'CANDIDATE_HARD_CODED', severity: 'error' },
  { id: 'leaks/secret-member', needs: 'other answers', ...leak },
  { id: 'leaks/unagreed-member', needs: 'other answers', ...leak, mayBeAppealed: true },
  { id: 'requester-peer/hangs', needs: 'other answers', ...peer },
  { id: 'requester-peer/breaks-schema', needs: 'other answers', ...peer },
  { id: 'requester-peer/tells-what-nobody-told', needs: 'other answers', ...peer, provesMemorised: true },
  { id: 'requester-peer/follows-order-of-arrival', needs: 'other answers', ...peer, mayBeAppealed: true },
  { id: 'requester-peer/same-without-answer', needs: 'other answers', ...peer, severity: 'warning' },
  { id: 'renaming/answer-as-before', needs: 'other answers', ...memorised },
  { id: 'renaming/asks-only-for-others', needs: 'other requests', ...memorised },
  { id: 'renaming/keeps-replaced-value', needs: 'other requests', ...memorised },
  { id: 'renaming/answer-does-not-follow', needs: 'other requests', ...memorised },
  { id: 'renaming/may-not-follow', needs: 'other requests', ...doubt },
  { id: 'exchange/held-key', needs: 'other requests', ...memorised },
  { id: 'exchange/held-place', needs: 'other requests', ...memorised },
  { id: 'exchange/never-follows', needs: 'other requests', ...memorised },
  { id: 'exchange/may-not-follow', needs: 'other requests', ...doubt },
  { id: 'neighbours/one-answer', needs: 'other requests', ...memorised },
  { id: 'neighbours/one-refusal', needs: 'other requests', ...doubt },
  { id: 'tables/one-answer', needs: 'other requests', ...memorised },
  { id: 'tables/one-refusal', needs: 'other requests', ...doubt },
  { id: 'tool-influence/told-without-call', needs: 'no runs', ...uncalled },
  { id: 'tool-influence/number-without-call', needs: 'other requests', ...uncalled },
  { id: 'tool-influence/tells-what-nobody-told', needs: 'other answers', ...memorised },
  { id: 'tool-influence/number-stays', needs: 'other answers', ...memorised },
  { id: 'generated-requests/hangs', needs: 'generated requests', ...breaks },
  { id: 'generated-requests/not-run-any-more', needs: 'no runs', ...breaks },
  { id: 'generated-requests/throws', needs: 'generated requests', ...breaks, mayBeAppealed: true },
  { id: 'generated-requests/may-throw', needs: 'generated requests', ...mayBreak },
  { id: 'generated-requests/breaks-schema', needs: 'generated requests', ...breaks },
  { id: 'generated-requests/may-break-schema', needs: 'generated requests', ...mayBreak },
  { id: 'generated-requests/says-nothing', needs: 'generated requests', ...breaks },
  { id: 'generated-requests/never-answers', needs: 'generated requests', ...breaks },
  { id: 'generated-requests/value-of-a-case', needs: 'generated requests', ...memorised },
  { id: 'generated-requests/text-of-a-case', needs: 'generated requests', ...memorised },
  { id: 'generated-requests/tool-never-called', needs: 'generated requests', ...mayBreak },
  {
    id: 'derived-cases/broken',
    needs: 'derived cases',
    code: 'CANDIDATE_DERIVED_CASE',
    severity: 'error',
    mayBeAppealed: true,
  },
] as const satisfies readonly Rule[];

/** The id of a rule: its check's name and the breach. */
export type RuleId = (typeof table)[number]['id'];

/** Every rule beyond the negotiated cases: what it needs, whether it refuses, what a breach proves, who decides. */
export const rules: readonly (Rule & { id: RuleId })[] = table;

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]));

/** The row of a rule. */
export function ruleOf(id: RuleId): Rule {
  return byId.get(id) as Rule;
}
