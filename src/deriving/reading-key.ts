import { HANDLER_ABI } from '../contract/handler.ts';
import type { Requirements } from '../job/requirements.ts';
import { canonicalDigest, sha256Hex } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import { READ_PROMPT_VERSION } from '../prompting/read-prompt.ts';

/**
 * The key of a reading. Two jobs share a reading if everything the reader sees is the same, including the
 * wording of the question.
 */
export function readingKey({ subject, schemas }: Requirements): string {
  const { agreement, cases, tools, task, role, payload, loose } = subject;
  return canonicalDigest({
    document: sha256Hex(agreement.text),
    schemas: [schemas.requestSchema, schemas.responseSchema],
    cases: cases.map(({ request, response, expected }) => [request, response, expected]),
    tools: tools as unknown as Json,
    task: (task ?? null) as unknown as Json,
    role,
    payload,
    loose: loose as unknown as Json,
    abi: HANDLER_ABI,
    prompt: READ_PROMPT_VERSION,
  });
}
