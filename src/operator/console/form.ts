import { type Html, html, type Part } from './html.ts';

/** Writes forms for actions; empty where the console is read only. */
export type Forms = (path: string, label: string, fields?: Part, tone?: 'bad') => Html | null;

/** Makes forms that carry the token of this console. */
export function formsOf(formToken: string, writable: boolean): Forms {
  return (path, label, fields = null, tone) =>
    writable
      ? html`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${formToken}">${fields}<button${tone === 'bad' && html` class="bad"`}>${label}</button></form>`
      : null;
}
