import type { Job, StructuredCase } from '../../src/contract/job.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';

/** A generate job for a document and its cases, with all defaults filled in. */
export function sampleJob(document: string, cases?: string | StructuredCase[], more: Partial<Job> = {}): Job {
  const testCases =
    typeof cases === 'string'
      ? ({ action: 'testCasesNegotiation', testCases: cases, status: 'accepted' } as const)
      : cases;
  return {
    version: 1,
    kind: 'generate',
    negotiationId: 'sample',
    tenant: 'default',
    family: 'anp',
    role: 'provider',
    agreement: { action: 'protocolNegotiation', sequenceId: 3, candidateProtocols: document, status: 'accepted' },
    ...(testCases === undefined ? {} : { testCases }),
    tools: [],
    loose: [],
    baseProtocols: {},
    onContradiction: 'dispute',
    propose: false,
    timeoutMs: 15_000,
    workMs: 0,
    attempt: 0,
    replyTo: 'default',
    ...more,
  };
}

/** A job from the data of a file, with all defaults filled in. */
export function jobFrom(data: Json): Job {
  if (!isObject(data)) throw new TypeError('Cannot make a job: no object, wanted one');
  return { ...sampleJob(''), ...(data as Partial<Job>) };
}

/** A document with two schemas under ANP's headings. */
export function documentOf(request: Json, response: Json, prose = ''): string {
  const fenced = (schema: Json) => `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
  return `# Requirements\n${prose}\n\n## Request Message\n${fenced(request)}\n\n## Response Message\n${fenced(response)}\n`;
}

/** A case text in ANP's layout. */
export function casesOf(...cases: [request: Json, response: Json, expected?: string][]): string {
  return cases
    .map(([request, response, expected = 'As above.'], index) => {
      const data = (value: Json) => JSON.stringify(value, null, 2);
      return `# Test Case ${index + 1}\n\n- **Test Request Data**:\n${data(request)}\n\n- **Test Response Data**:\n${data(response)}\n\n- **Expected Test Result**:\n${expected}\n`;
    })
    .join('\n');
}
