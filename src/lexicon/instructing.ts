import { phrases } from './phrases.ts';

/** Whoever writes the code for an agreement. */
export const CODE_WRITERS = phrases({
  en: [
    '(code|coding) (generators?|assistants?|agents?|models?)',
    'language models?|LLMs?|AIs?',
    'implementers?|implementors?',
    '(who|that|which|whoever) (writes?|generates?|implements?)',
    '(implementing|coding|generating) (model|agent|assistant)s?|(note|hint) (to|for) the model',
    'code you (write|generate)',
    '(models?|agents?|assistants?|generators?) (reading|that reads?|who reads?) (this|it)',
  ],
  de: ['Code-?generator*|Sprachmodell*|KI', 'Code schreib*'],
  fr: ['générateurs? de code|modèles? de langage|IA'],
  es: ['generador(es)? de código|modelos? de lenguaje|IA'],
  pt: ['geradore?s? de código|modelos? de linguagem|IA'],
  it: ['generator[ei] di codice|modell[oi] linguistic[oi]|IA'],
  zh: ['代码生成|编写代码|生成代码|大模型|语言模型|人工智能'],
  ja: ['コード生成|コードを(書|生成)|言語モデル|人工知能'],
});

/** That something is to be kept from others, or goes before all that is agreed. */
export const KEPT_SECRET = phrases({
  en: [
    '(do not|never|not to be|without) (mention*|tell*|discuss*|reveal*|disclos*|document*)',
    'confidential|keep (it|this|that) (between us|secret|quiet|to yourself)',
    '(no matter|regardless of) what (is|was|stands)',
    'ignor(e|es|ing) (all|what|the (above|rules|previous)|previous|clause|rule)*',
    '(not|no) (a )?part of (the|this|our) (text|agreement|protocol|document|contract|specification)',
  ],
  de: ['(nicht|nie|niemals) erwähn*', 'vertraulich', 'ignorier*'],
  fr: ['(ne|jamais) …20 mentionne*', 'confidentiel*', 'ignore[rz]?'],
  es: ['no (lo )?mencion*', 'confidencial*', 'ignor(a|e|ar)'],
  pt: ['não mencion*', 'confidencial*', 'ignor(a|e|ar)'],
  it: ['non menzion*', 'confidenzial*|riservat*', 'ignora(re)?'],
  zh: ['(不要|不得|切勿|请勿)(提及|提到|透露|告诉)', '保密|忽略', '不(属于|是)本?(协议|正文|文档)'],
  ja: ['(言及|公表)し(ない|ては)', '秘密|無視'],
});

/** That what is agreed is not to be looked at, or an answer given whatever the rules say. */
export const PAST_THE_RULES = phrases({
  en: [
    '(skip|bypass|omit|disable|ignore)s? (all )?(the )?(validation|checks?|steps?|rules?|authenti*|authori*)',
    'without (checking|validating|looking|asking|verifying)',
    '(must|is|are|should) always (be )?(accepted|allowed|approved|granted)',
    'exempt(ed)? from',
    'instead of the (rules?|steps?|checks?)',
  ],
  de: ['(überspring|umgeh)* …20 (Prüfung|Regel)*', 'ohne (Prüfung|zu prüfen)'],
  fr: ['(saute|contourne|ignore)* …20 (vérification|validation|règle)*', 'sans vérif*'],
  es: ['(omit|salt)* …20 (validaci|comprob|regl)*', 'sin (comprobar|validar|verificar)'],
  zh: [
    '(跳过|绕过|忽略|不做)…8(校验|验证|检查|判断|审核|审查|核对|规则|步骤|限制|条件)',
    '无需(校验|验证|检查|判断|审核)',
  ],
});
