import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const shared = join(root, '../shared/conformance/anp');

/** Where the vectors are: this project's copies, and the shared ones where they are present. */
export const places = [
  {
    name: 'fixtures',
    wire: join(root, 'fixtures/families/anp/wire-capture'),
    messages: join(root, 'fixtures/families/anp/meta-protocol'),
  },
  { name: 'shared', wire: join(shared, 'wire-capture'), messages: join(shared, 'meta-protocol-legacy') },
].map((place) => ({ ...place, skip: existsSync(place.wire) ? false : `no ${place.name} vectors here` }));

/** The text of a file. */
export const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

/** The names of the files in a folder with an ending; none without the folder. */
export const filesIn = (folder: string, ending: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)) : [];
