import { type Html, html, type Part } from './html.ts';

/** Writes the form of an action; `null` if the console is read only. */
export type Forms = (path: string, label: string, fields?: Part, tone?: 'bad') => Html | null;

/** Forms with the token of this console, without which no action is done. */
export function formsOf(formToken: string, writable: boolean): Forms {
  return (path, label, fields = null, tone) =>
    writable
      ? html`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${formToken}">${fields}<button${tone === 'bad' && html` class="bad"`}>${label}</button></form>`
      : null;
}
