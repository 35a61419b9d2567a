import { inOrder, phrases } from './phrases.ts';

/** That nothing is done but what the same sentence has done. */
export const NOTHING_ELSE = phrases({
  en: ['nothing (else|more|further) (is|gets|happens|may be|must be|will be)'],
  de: ['(sonst|weiter) (wird|geschieht|passiert) nichts'],
  fr: ["rien d['’]autre n['’]est*"],
  es: ['no se hace nada más'],
  zh: ['不再(做|执行|进行)(任何)?(其他|其它)?(操作|动作)'],
});

/** That nothing is changed at all. */
export const NOTHING_CHANGED = phrases({
  en: [
    'nothing (happens|changes)',
    'without (any side[ -]effects?|(changing|writing|doing|storing) anything)',
    'no (writes?|writing|side[ -]effects?)',
  ],
  de: ['ohne etwas zu (ändern|speichern|schreiben)', 'nichts wird (geändert|gespeichert|geschrieben)'],
  fr: ['sans rien (changer|modifier|écrire)'],
  es: ['sin (cambiar|modificar|escribir|guardar|hacer) nada', 'no se (cambia|modifica|guarda|escribe) nada'],
  zh: ['不(做|作|进行)任何(修改|更改|变更|操作)'],
});

/** That the tool named behind it is not called. */
export const NOT_CALLED = phrases({
  en: [
    '(do|does|must|shall|may|is|will) not (then |be )?(call|ask|use|invoke|run)',
    'never (call|ask|use|invoke|run)s?',
    'without (calling|asking|using|invoking|running)',
  ],
  fr: ['(ne pas|sans) (appeler|exécuter|utiliser)'],
  es: ['(no|sin) (se )?(llam|ejecut|us)*( a)?'],
  pt: ['(não|sem) (se )?(cham|execut|us)*'],
  it: ['(non|senza) (si )?(chiam|esegu|us)*'],
  ru: ['(не|без) (вызов|вызыва|вызва|использ)*'],
  zh: ['不(得|能|可|应|会|要|许)?(再|继续)?(调用|执行|使用)', '(禁止|切勿|请勿)(再|继续)?(调用|执行|使用)'],
});

/** Words that make what is done depend on something. */
export const CONDITION = phrases({
  en: ['if|when|where|while|before|after|again|twice|as long as|in case|for'],
  de: ['wenn|falls|bei|bevor|solange|erneut'],
  fr: ['si|quand|avant'],
  es: ['si|cuando|antes'],
  zh: ['如果|若|之前'],
});

/** Words that leave it open whether something is done, or say that it is not. */
export const LEFT_OPEN = phrases({
  en: [
    'not|never|may|might|can|could|should|optional*|or|either|instead|no longer|former*',
    'e\\.g|for example|such as|unless',
    '(requester|client|caller|customer) (calls|uses|runs|invokes)',
  ],
  zh: ['不|可以|可选|或|例如'],
});

/** Words by which one tool puts right what it failed at, or is asked for the next of several. */
export const PUTS_RIGHT = phrases({
  en: [
    '(?<!\\b(com*|came|echo*|report*|call*|answer*|tell|told) )back(?! ?-?(ends?|office))',
    'rollback*|undo*|revert*|revers*|compensat*|restor*|fallback*',
    'instead|next|another',
  ],
  de: ['zurück*|rückgängig|nächste[nrsm]?'],
  fr: ['suivante?|annul*|remis*'],
  es: ['siguiente|próxim[oa]|deshac*|devuel*'],
  pt: ['próxim[oa]|desfe*|desfaz*'],
  it: ['successiv[oa]'],
  ru: ['следующ*|возвра*|отмен*'],
  zh: ['回滚|退回|撤销|恢复|下一'],
  ja: ['取り消|元に戻|次の'],
});

/** That something is never written to the log. */
export const NEVER_LOGGED = phrases({
  en: [
    '(never|not) (be |to be )?logged',
    '(never|not) (be |to be )?(part of|appear*|written|stand|put|go|end up|found|seen|kept|stored) …40 log*',
    "(never|do not|don't|must not|may not|not to) log",
    'neither …80 (logged|logs?|log (lines?|entries))',
    'not be (\\p{L}+ ){1,6}(or|nor) logged',
  ],
  de: ['(nie|nicht|kein*) …40 (protokolliert|geloggt|ins (Log|Protokoll))'],
  zh: ['不[得能可要应]?(写入|记录|出现在)…8日志'],
});

/** That something is never told to whoever asked. */
export const NEVER_TOLD = inOrder(
  {
    en: ['never|not|at no time|nowhere'],
    de: ['nie|niemals|nicht'],
    fr: ['jamais|pas'],
    es: ['nunca|no|jamás'],
    zh: ['不得|不能|不可|不应|不会|绝不|禁止'],
  },
  {
    en: [
      '(part of|appear*|repeated|contained|told|shown|included|found|stand|returned|sent|put|echoed) ' +
        '(back )?((in|with|of|by) )?((an?|any|the|its) )?(answers?|responses?|repl(y|ies))',
    ],
    de: ['(in|Teil) …12 Antwort* …20 (erscheinen|stehen|vorkommen|wiederholt|sein)'],
    fr: ['(dans|partie de) …12 réponses?'],
    es: ['(en|parte de) …12 respuestas?'],
    zh: ['(出现|包含|返回|写入|放)在?(响应|应答|回复|答复)'],
  },
  40,
);
