import type { Case } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import type { Job, ProtocolNegotiation } from '../../contract/job.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import type { Language } from '../../schemas/violation-words.ts';
import { changeOf, describeFinding } from './describe-finding.ts';

/** Most findings that one message describes: a peer repairs the first ones first. */
export const MAX_DESCRIBED_FINDINGS = 50;

/** ANP `codeGeneration`: says that the code is ready, or that there will be none. */
export function codeGeneration(status: 'generated' | 'error'): JsonObject {
  return { action: 'codeGeneration', status };
}

/** ANP `fixErrorNegotiation`: a dispute of our own (`negotiating`), or the answer to a peer's complaint. */
export function fixErrorNegotiation(
  findings: readonly Finding[],
  language: Language,
  status: 'negotiating' | 'accepted' | 'rejected',
): JsonObject {
  return { action: 'fixErrorNegotiation', errorDescription: errorDescription(findings, language), status };
}

/** Whether the peer's protocol stack takes a `fixErrorNegotiation`. */
export function canBeTold({ peerCapabilities }: Pick<Job, 'peerCapabilities'>): boolean {
  return peerCapabilities === undefined || peerCapabilities.includes('fixErrorNegotiation');
}

/** Whether the peer's protocol stack takes a `testCasesNegotiation`. */
export function takesTestCases({ peerCapabilities }: Pick<Job, 'peerCapabilities'>): boolean {
  return peerCapabilities === undefined || peerCapabilities.includes('testCasesNegotiation');
}

/** Findings as the markdown of an ANP `errorDescription`, one line each, in the language of the document. */
export function errorDescription(findings: readonly Finding[], language: Language): string {
  const lines = findings.slice(0, MAX_DESCRIBED_FINDINGS).map((finding) => `- ${describeFinding(finding, language)}`);
  const more = findings.length - lines.length;
  if (more > 0) lines.push(language === 'zh' ? `- 另有 ${more} 处问题` : `- ${more} more of this kind`);
  return [language === 'zh' ? '# 错误描述' : '# Error Description', ...lines].join('\n');
}

/** ANP `protocolNegotiation` that offers an amended document as the next round; `settled` are the findings it settles. */
export function protocolProposal(
  agreed: ProtocolNegotiation,
  candidateProtocols: string,
  settled: readonly Finding[],
  language: Language,
): JsonObject {
  return {
    action: 'protocolNegotiation',
    sequenceId: agreed.sequenceId + 1,
    candidateProtocols,
    modificationSummary: modificationSummary(changesOf(settled, language), language),
    status: 'negotiating',
  };
}

/** ANP `testCasesNegotiation` that offers amended cases. */
export function testCasesProposal(testCases: string, settled: readonly Finding[], language: Language): JsonObject {
  return testCasesOffer(testCases, changesOf(settled, language), language);
}

/** ANP `testCasesNegotiation` that offers further cases. */
export function furtherCasesProposal(
  testCases: string,
  added: readonly Pick<Case, 'testCase' | 'expected'>[],
  language: Language,
): JsonObject {
  const changes = added.map(({ testCase, expected }) => {
    const result = quoteText(expected);
    return language === 'zh' ? `增加测试用例${testCase}：${result}` : `Added test case ${testCase}: ${result}`;
  });
  return testCasesOffer(testCases, changes, language);
}

function testCasesOffer(testCases: string, changes: readonly string[], language: Language): JsonObject {
  return {
    action: 'testCasesNegotiation',
    testCases,
    modificationSummary: modificationSummary(changes, language),
    status: 'negotiating',
  };
}

function changesOf(settled: readonly Finding[], language: Language): string[] {
  return settled
    .map((finding) => changeOf(finding, language) || describeFinding(finding, language))
    .map((change) => change.charAt(0).toUpperCase() + change.slice(1));
}

function modificationSummary(changes: readonly string[], language: Language): string {
  const lines = [...new Set(changes)].slice(0, MAX_DESCRIBED_FINDINGS).map((change) => `- ${change}`);
  return [language === 'zh' ? '修改点：' : 'Modifications:', ...lines].join('\n');
}
