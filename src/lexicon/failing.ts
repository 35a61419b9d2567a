import { phrases } from './phrases.ts';

/** Words that mention errors. */
export const SPEAKS_OF_ERRORS = phrases({
  en: ['errors?|exceptions?|failures?|*status code*'],
  de: ['*fehler*'],
  fr: ['erreurs?'],
  es: ['errores'],
  pt: ['erros?'],
  it: ['errori'],
  zh: ['错误|异常|失败|状态码|返回码'],
  ja: ['エラー'],
});
