import { phrases } from './phrases.ts';

/** Words of refusal in an answer. */
export const SAYS_NO = phrases({
  en: [
    'bad|malformed|ill[- ]formed|illegal|wrong|incorrect|broken|invalid|unreadable|unusable|unpars(e)?able',
    'not (a )?(valid|allowed|understood)',
    'cannot be (read|parsed|understood)',
    'errors?|fail(s|ed|ure)?|reject(s|ed)?|refuse[sd]?|denied',
  ],
  de: ['*abgelehnt*', '*zur[uü]ckgewiesen*', '*verweigert*', '*ung[uü]e?ltig*'],
  fr: ['refusée?s?', 'invalides?'],
  es: ['rechazad[ao]*', 'denegad[ao]*', 'inv[aá]lid[ao]s?'],
  pt: ['recusad[ao]*', 'inv[aá]lid[ao]s?'],
  it: ['rifiutat[ao]*', 'non valid*', 'invalid[aeo]'],
  nl: ['*ongeldig*'],
  zh: ['无效', '错误', '非法', '不合法', '不正确', '有误', '拒绝', '失败', '异常'],
  ja: ['不正', '無効'],
});

/** Words that mark an answer as a failure in any agreement. */
export const BAD_WORD = phrases({
  en: [
    'error|err|fail(ed|ure)?|reject(ed)?|denied|refused?|declined|unauthori[sz]ed|forbidden|nack',
    'invalid|malformed|bad[ _-]?request|missing|cannot|conflict',
    'not[ _-]?found|no such|unknown|unavailable|timeout|expired|insufficient|out[ _-]?of[ _-]?stock',
    'too[ _-](late|early|soon|many|few|much|small|large|big|long|short|old|young)',
  ],
  de: [
    '*abgelehnt|*zur(ü|ue)ckgewiesen|*verweigert|fehler(haft)?|fehlgeschlagen|gescheitert|*ung(ü|ue)ltig*|unbekannt|nicht gefunden',
  ],
  fr: ['refus(é|e)e?|rejet(é|e)e?|erreur|(é|e)chec|invalide|inconnue?|introuvable'],
  es: ['(rechazad|denegad|inv(á|a)lid|desconocid)[oa]|fallid[oa]|no encontrad[oa]'],
  pt: ['(recusad|negad|inv(á|a)lid|desconhecid)[oa]|erro|n(ã|a)o encontrad[oa]'],
  zh: ['错误', '失败', '拒绝', '无效', '不存在', '未找到', '不足', '过期', '异常'],
});

/** Words that mark an answer as a failure if they appear in its message or its failure name. */
export const FAILURE_WORD = phrases({
  en: [
    'errors?|err|fail(ed|ure|s)?|exception|rejected|refused|denied|unauthori[sz]ed|forbidden',
    'invalid|not[ _-]?found|unknown|missing|unavailable|does not exist|timed? ?out',
  ],
  zh: ['错误', '失败', '无效', '不存在', '未找到', '拒绝', '非法', '异常', '超时', '缺少'],
});
