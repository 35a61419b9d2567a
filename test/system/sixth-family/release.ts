/** Loaded before a worker (`node --import`), gives it one more family: its folder is this one, its line stands below. */
import { registerHooks } from 'node:module';

const table = ': readonly [Family, ...Family[]] = [anp, uagents];';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/src/families/families.ts')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(table)) throw new Error(`Cannot add a family: wanted ${table}`);
    const { href } = new URL('./menu.ts', import.meta.url);
    const named = source.replace(table, ': readonly [Family, ...Family[]] = [anp, uagents, menu];');
    return { ...loaded, source: `import { menu } from '${href}';\n${named}` };
  },
});
