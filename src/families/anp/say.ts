import type { Finding } from '../../contract/finding.ts';
import { member } from '../../contract/job-fault.ts';
import type { Language, Statement } from '../../contract/statement.ts';
import type { Json } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import { changeOf, describeFinding } from './describe-finding.ts';
import type { FixErrorNegotiation, MetaMessage, NegotiationStatus, TestCasesNegotiation } from './messages.ts';

/** Most findings that one message describes; a peer fixes the first ones first. */
const MAX_DESCRIBED_FINDINGS = 50;

/** The ANP message for a statement to the peer, in the document's language. */
export function messageFor(statement: Statement, agreed: Json, language: Language): MetaMessage {
  switch (statement.what) {
    case 'generated':
      return { action: 'codeGeneration', status: 'generated' };
    case 'failed':
      return { action: 'codeGeneration', status: 'error' };
    case 'dispute':
      return fixErrorNegotiation(statement.findings, language, 'negotiating');
    case 'complaint-accepted':
      return fixErrorNegotiation(statement.findings, language, 'accepted');
    case 'complaint-rejected':
      return fixErrorNegotiation(statement.findings, language, 'rejected');
    case 'amended-document':
      return {
        action: 'protocolNegotiation',
        sequenceId: nextRound(agreed),
        candidateProtocols: statement.text,
        modificationSummary: modificationSummary(changesOf(statement.settled, language), language),
        status: 'negotiating',
      };
    case 'amended-cases':
      return testCasesOffer(statement.text, changesOf(statement.settled, language), language);
    case 'further-cases':
      return testCasesOffer(statement.text, additions(statement.added, language), language);
  }
}

function nextRound(agreed: Json): number {
  const round = member(agreed, 'sequenceId');
  return typeof round === 'number' ? round + 1 : 1;
}

function fixErrorNegotiation(
  findings: readonly Finding[],
  language: Language,
  status: NegotiationStatus,
): FixErrorNegotiation {
  return { action: 'fixErrorNegotiation', errorDescription: errorDescription(findings, language), status };
}

/** Findings as the Markdown of an ANP `errorDescription`, one line each, in the document's language. */
export function errorDescription(findings: readonly Finding[], language: Language): string {
  const lines = findings.slice(0, MAX_DESCRIBED_FINDINGS).map((finding) => `- ${describeFinding(finding, language)}`);
  const more = findings.length - lines.length;
  if (more > 0) lines.push(language === 'zh' ? `- 另有 ${more} 处问题` : `- ${more} more problems`);
  return [language === 'zh' ? '# 错误描述' : '# Error Description', ...lines].join('\n');
}

function additions(added: Extract<Statement, { what: 'further-cases' }>['added'], language: Language): string[] {
  return added.map(({ testCase, expected }) => {
    const result = quoteText(expected);
    return language === 'zh' ? `增加测试用例${testCase}：${result}` : `Added test case ${testCase}: ${result}`;
  });
}

function testCasesOffer(testCases: string, changes: readonly string[], language: Language): TestCasesNegotiation {
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
