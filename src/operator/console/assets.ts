/** The style of all pages: readable at 400 pixels, in light and dark, without fonts from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2127; --quiet: #5d6873; --paper: #fff; --panel: #f4f6f8; --edge: #d5dbe1;
  --good: #1a7f4b; --bad: #b42318; --warn: #9a6400; --link: #1f5fbf; --mark: #fff1c2;
  --l0: #1f5fbf; --l1: #7a3fb0; --l2: #0f766e; --l3: #5d6873; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaee; --quiet: #9aa6b2; --paper: #14181c; --panel: #1d2329; --edge: #343d46;
  --good: #4cc38a; --bad: #ff7b6e; --warn: #f0b429; --link: #7fb2ff; --mark: #4a3c0f;
  --l0: #7fb2ff; --l1: #c79bf2; --l2: #5eead4; --l3: #9aa6b2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding: .6rem 1rem; border-bottom: 1px solid var(--edge); background: var(--panel); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
a { color: var(--link); }
nav a { text-decoration: none; } nav a[aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--link); }
main { max-width: 84rem; margin: 0 auto; padding: .5rem 1rem 3rem; }
h1 { font-size: 1.35rem; margin: .7rem 0; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; } h3 { font-size: .95rem; margin: 1rem 0 .35rem; }
.concerns { list-style: none; margin: .5rem 0; padding: 0; } .concerns li { border-left: 4px solid var(--bad); background: var(--panel); padding: .45rem .7rem; margin: .4rem 0; overflow-wrap: anywhere; }
.concerns p { margin: .15rem 0; }
.fine { border-left: 4px solid var(--good); background: var(--panel); padding: .45rem .7rem; }
.note { border: 1px solid var(--good); padding: .4rem .7rem; border-radius: 4px; }
main.stale::before { content: "The console does not answer; this page may be old."; color: var(--bad); } .quiet { color: var(--quiet); } .bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
.badge { font-weight: 600; white-space: nowrap; } .badge.quiet { font-weight: 400; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--edge); } th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 5rem; } td code.word { overflow-wrap: normal; }
.matrix td, .matrix th { text-align: center; } .matrix td:first-child, .matrix th:first-child { text-align: left; min-width: 12rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .3rem 1.2rem; margin: .4rem 0; }
dl div { min-width: 0; } dt { color: var(--quiet); font-size: .82rem; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; padding: .5rem .7rem; background: var(--panel); border-radius: 6px; min-width: 0; } figcaption { font-size: .85rem; color: var(--quiet); }
figure svg { width: 100%; height: 56px; display: block; } figure ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0 .8rem; margin: .2rem 0 0; padding: 0; font-size: .82rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .7rem; }
path { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
path.line-0 { stroke: var(--l0); } path.line-1 { stroke: var(--l1); } path.line-2 { stroke: var(--l2); } path.line-3 { stroke: var(--l3); } path.line-good { stroke: var(--good); } path.line-bad { stroke: var(--bad); } path.line-warn { stroke: var(--warn); }
li.line-0 { color: var(--l0); } li.line-1 { color: var(--l1); } li.line-2 { color: var(--l2); } li.line-3 { color: var(--l3); } li.line-good { color: var(--good); } li.line-bad { color: var(--bad); } li.line-warn { color: var(--warn); }
pre { background: var(--panel); border-radius: 6px; padding: .6rem .7rem; overflow-x: auto; font: 12.5px/1.45 ui-monospace, monospace; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.code { white-space: pre; } code { font: 12.5px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
pre .n { color: var(--quiet); user-select: none; display: inline-block; width: 3.2em; text-align: right; margin-right: 1em; }
mark { background: var(--mark); color: inherit; } ins, del { text-decoration: none; display: block; } ins { background: color-mix(in srgb, var(--good) 18%, transparent); } del { background: color-mix(in srgb, var(--bad) 18%, transparent); }
pre .failing { background: color-mix(in srgb, var(--bad) 22%, transparent); display: inline-block; min-width: 100%; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1.2rem; } .beside > * { min-width: 0; }

.bars { list-style: none; padding: 0; margin: .3rem 0; } .bars li { display: grid; grid-template-columns: minmax(9rem, 16rem) 1fr; gap: .6rem; align-items: center; font-size: .88rem; padding: .1rem 0; }
.bars svg { width: 100%; height: 14px; } rect { fill: var(--l0); } rect.model { fill: var(--l2); } rect.bad { fill: var(--bad); }
form { display: inline-flex; flex-wrap: wrap; gap: .35rem; align-items: center; margin: .2rem .5rem .2rem 0; }
form.filters { display: flex; gap: .5rem .9rem; } label { font-size: .88rem; color: var(--quiet); }
input, select, button { font: inherit; font-size: .9rem; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 4px; padding: .2rem .5rem; max-width: 100%; }
button { cursor: pointer; background: var(--panel); } button.bad { border-color: var(--bad); }
summary { cursor: pointer; } details { margin: .35rem 0; } :target { scroll-margin-top: 1rem; outline: 2px solid var(--link); }
@media (max-width: 34rem) { main { padding: .3rem .6rem 2rem; } dl { grid-template-columns: 1fr 1fr; } .bars li { grid-template-columns: 1fr; gap: 0; } }
`;

/**
 * Refreshes a live page every five seconds while it is visible. Opened details stay open, and nothing moves while
 * something is selected or typed. Pages work without it.
 */
export const SCRIPT = `
'use strict';
const main = document.querySelector('main[data-live]');
const busy = () => document.hidden || main.contains(document.activeElement) && /^(?:INPUT|SELECT)$/.test(document.activeElement.tagName) || !getSelection().isCollapsed;
const refresh = async () => {
  if (busy()) return;
  try {
    const answer = await fetch(location.pathname + location.search, { redirect: 'error' });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
    const open = new Set([...main.querySelectorAll('details[id][open]')].map(({ id }) => id));
    for (const one of fresh.querySelectorAll('details[id]')) if (open.has(one.id)) one.open = true;
    if (!busy()) main.replaceChildren(...fresh.childNodes);
    main.classList.remove('stale');
  } catch {
    main.classList.add('stale');
  }
};
if (main !== null) setInterval(refresh, 5_000);
`;

/** The icon of the pages. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M4 12V4h4a2.5 2.5 0 0 1 0 5H6" fill="none" stroke="#fff" stroke-width="2"/></svg>';
