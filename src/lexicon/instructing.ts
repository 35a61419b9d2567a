import { phrases } from './phrases.ts';

/** People or programs that write the code for an agreement. */
export const CODE_WRITERS = phrases({
  en: [
    '(code|coding|programming) (generators?|assistants?|agents?|models?|tools?)',
    'language models?|LLMs?|AIs?',
    'implementers?|implementors?',
    '(for|during|in|at) code generation',
    '(models?|agents?|assistants?|anyone|everyone) (producing|writing|generating) code(?! (numbers?|words?|lists?))',
    '(who|that|which|whoever) (writes?|generates?|implements?)',
    '(implementing|coding|generating) (model|agent|assistant)s?|(note|hint) (to|for) the model',
    'code you (write|generate)',
    '(models?|agents?|assistants?|generators?) (reading|that reads?|who reads?) (this|it)',
  ],
  de: ['Code-?generator*|Code-?erzeugung|Sprachmodell*|KI', 'Code schreib*'],
  fr: [
    'générateurs? de code|modèles? de langage|IA|implémentations? automatiques?',
    '(agent|assistant|modèle) qui (programme|code|génère|écrit|implémente)',
  ],
  es: [
    'generador(es)? de código|modelos? de lenguaje|IA',
    '(agente|asistente|modelo) que (programe?|gener[ea]|escrib[ae]|implement[ea])',
  ],
  pt: ['geradore?s? de código|modelos? de linguagem|IA'],
  it: ['generator[ei] di codice|modell[oi] linguistic[oi]|IA'],
  zh: ['代码生成|编写代码|生成代码|大模型|语言模型|人工智能|(编程|代码|编码)(助手|智能体|机器人)'],
  ja: ['コード生成|コードを(書|生成)|言語モデル|人工知能'],
});

/**
 * Programs that write the code for an agreement, addressed as such. A plain mention of a language model does not match:
 * a service may use one too.
 */
export const CODE_MACHINES = phrases({
  en: [
    '(code|coding) (generators|assistants|agents|models)|(AI|LLM|automatic|automated) (coders?|programmers?|code generators?|coding assistants?|implementers?)',
    '(AIs?|LLMs?|models?|assistants?|programs?|systems?) (that|which|who) (writes?|generates?|implements?|codes?) (this|the (code|handler|implementation|document|agreement|protocol))',
    '(AIs?|LLMs?|models?|assistants?|programs?) (writing|generating|implementing|coding) (this|the (code|handler|implementation|document|agreement|protocol))',
    '(AIs?|LLMs?|models?|assistants?|programs?) (reading|that reads?|which reads?) (this|it) (document|agreement|text|protocol|specification)',
    // Phrases that address a model, never a partner.
    '(?<=\\[/?)(assistant|system)(?=\\](\\s|:|$))',
    '(update|change|addition|amendment) (to|of) (the|your) (system|developer) (prompt|message)',
    'ignore (all |any |every )?(the |your )?(earlier|previous|prior) (instructions?|prompts?)',
  ],
  de: [
    'Code-?generatoren|KI-?(Programmierer*|Assistent*)',
    '(KI|KI-Systeme|Sprachmodelle?|Modelle?|Assistent(en)?) …30 (Code|Handler|Programm) (erzeug*|schreib*|generier*)',
    'ignorier(e|en Sie) …20 (frühere|vorherige|bisherige)n? Anweisungen',
    '(KI|KI-Systeme|Sprachmodelle?|Modelle?|Assistent(en)?) …30 diese[ns]? (Text|Dokument|Protokoll|Vereinbarung) (lesen|liest|umsetz*)',
  ],
  fr: [
    'générateurs de code|assistants de (code|programmation)',
    '(modèles?|IA|assistants?|programmes?) …30 (écri|génèr|génér|implément|cod)* (ce|le) (code|document|protocole)',
  ],
  es: [
    'generadores de código|asistentes de (código|programación)',
    '(modelos?|IA|asistentes?|programas?) …60 (gener|escrib|implement)* (el|este) (código|documento|protocolo)',
  ],
  pt: [
    'geradores de código|assistentes de (código|programação)',
    '(modelos?|IA|assistentes?|programas?) …60 (ger|escrev|implement)* (o|este) (código|documento|protocolo)',
  ],
  it: [
    'generatori di codice|assistenti di (codice|programmazione)',
    '(modell[oi]|IA|assistent[ei]|programm[ai]) …60 (gener|scriv|implement)* (il|questo) (codice|documento|protocollo)',
  ],
  zh: [
    '(自动)?(编程|代码|编码)(助手|生成(器|模型|工具|程序)|模型|智能体)',
    '(大模型|语言模型|人工智能|模型|AI|LLM)…8(生成|编写|实现)(本|该|此)?(代码|处理程序|协议|文件)',
    '忽略(之前|先前|此前|以上)的?(所有|全部)?(指令|提示)',
    '(生成|编写|实现|阅读)(本|该|此)?(代码|处理程序|协议|文件)…4(大模型|语言模型|人工智能|模型|AI|LLM)',
  ],
  ja: ['コード生成(器|モデル|AI)|(AI|モデル)…10コードを(書|生成)'],
});

/** Says that a value contains a text, which follows. */
export const HAS_TEXT = phrases({
  en: ['(starts?|starting|begins?|beginning|ends?|ending) (with|in|on)', 'contains?( the word)?|containing|equals?|is'],
  de: ['mit|auf|gleich|ist|enthält'],
  fr: ['par|est|contient|vaut'],
  es: ['con|por|en|es|sea|contiene|contenga'],
  pt: ['com|por|em|é|for|contém|contenha'],
  it: ['con|per|è|sia|contiene'],
  zh: ['以|为|是|包含|含有|等于'],
});

/** Says that something must be kept secret or overrides the agreement. */
export const KEPT_SECRET = phrases({
  en: [
    '(do not|never|not to be|without) (mention*|tell*|discuss*|reveal*|disclos*|document*)',
    '(keep|leave) (it|this|that|them) out of|leave no trace',
    'confidential|keep (it|this|that) (between us|secret|quiet|to yourself)',
    '(no matter|regardless of) what (is|was|stands)',
    'ignor(e|es|ing) (all|what|the (above|rules|previous)|previous|clause|rule)*',
    'ignor(e|es|ing) the (\\w+ ){1,2}(rules?|clauses?|checks?|sections?)',
    '(takes?|taking|has|with) precedence over',
    '(not|no) (a )?part of (the|this|our) (text|agreement|protocol|document|contract|specification)',
  ],
  de: ['(nicht|nie|niemals) erwähn*', 'vertraulich', 'ignorier*'],
  fr: ['(ne|jamais) …20 (mentionne|documente)*', 'confidentiel*', 'ignore[rz]?'],
  es: ['no (lo )?mencion*', 'confidencial*', 'ignor(a|e|ar)'],
  pt: ['não mencion*', 'confidencial*', 'ignor(a|e|ar)'],
  it: ['non menzion*', 'confidenzial*|riservat*', 'ignora(re)?'],
  zh: ['(不要|不得|切勿|请勿)(提及|提到|透露|告诉)', '保密|忽略', '不(属于|是)本?(协议|正文|文档)'],
  ja: ['(言及|公表)し(ない|ては)', '秘密|無視'],
});

/** Says to skip the agreed checks, or to answer regardless of the rules. */
export const PAST_THE_RULES = phrases({
  en: [
    '(skip|bypass|omit|disable|ignore)s? (all )?(the )?((?!(if|when|where|and|or) )\\w+ ){0,2}(validation|checks?|steps?|rules?|authenti*|authori*)',
    'never (refuse|reject|decline|deny)',
    '(accept|approve|allow|grant) …30 (whoever|whatever|regardless|no matter)',
    'without (checking|validating|looking|asking|verifying)',
    '(must|is|are|should) always (be )?(accepted|allowed|approved|granted)',
    'exempt(ed)? from',
    'instead of the (rules?|steps?|checks?)',
  ],
  de: ['(überspring|umgeh)* …20 (Prüfung|Regel)*', 'ohne (Prüfung|zu prüfen)'],
  fr: ['(saute|contourne|ignore)* …20 (vérification|validation|règle)*', 'sans vérif*'],
  es: ['(omit|salt)* …20 (validaci|comprob|regl)*', 'sin (comprobar|validar|verificar)'],
  zh: [
    '一律(返回|接受|通过|批准|同意|视为)',
    '(不要|不必|无需)(扣|收取|读取|查询|检查|核对)',
    '(跳过|绕过|忽略|不做)…8(校验|验证|检查|判断|审核|审查|核对|规则|步骤|限制|条件)',
    '无需(校验|验证|检查|判断|审核)',
  ],
});
