import type { Finding } from '../../contract/finding.ts';
import type { ProtocolNegotiation } from '../../contract/job.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** ANP `codeGeneration`: says that code is ready, or that there will be none. */
export function codeGeneration(status: 'generated' | 'error'): JsonObject {
  return { action: 'codeGeneration', status };
}

/** ANP `fixErrorNegotiation` with the findings as markdown in the language of the document. */
export function fixErrorNegotiation(
  findings: readonly Finding[],
  language: 'en' | 'zh',
  status: 'negotiating' | 'accepted' | 'rejected',
): JsonObject {
  return { action: 'fixErrorNegotiation', errorDescription: errorDescription(findings, language), status };
}

/** ANP `protocolNegotiation` that offers an amended document as the next round. */
export function protocolProposal(
  agreed: ProtocolNegotiation,
  candidateProtocols: string,
  findings: readonly Finding[],
  language: 'en' | 'zh',
): JsonObject {
  return {
    action: 'protocolNegotiation',
    sequenceId: agreed.sequenceId + 1,
    candidateProtocols,
    modificationSummary: findings.map(({ message }) => `- ${message}`).join('\n'),
    status: language === 'zh' ? 'negotiating' : 'negotiating',
  };
}

/** The findings as markdown in the manner of the specification. */
export function errorDescription(findings: readonly Finding[], language: 'en' | 'zh'): string {
  const title = language === 'zh' ? '# 错误描述' : '# Error Description';
  return [title, ...findings.map(({ message }) => `- ${message}`)].join('\n');
}
