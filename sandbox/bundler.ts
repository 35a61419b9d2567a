import * as esbuild from 'esbuild';

/** esbuild's `build`, in a process that is told nothing of this one's environment. */
export const build: typeof esbuild.build = (options) => tellingNothing(() => esbuild.build(options));

/** esbuild's `transform`, in the same process as `build`. */
export const transform: typeof esbuild.transform = (input, options) =>
  tellingNothing(() => esbuild.transform(input, options));

/**
 * esbuild reads hostile text, and its process inherits the environment, keys and passwords in it. It starts within the call of whoever asks first, and
 * has no option for this; nothing else runs meanwhile.
 */
function tellingNothing<Result>(start: () => Result): Result {
  const { env } = process;
  process.env = {};
  try {
    return start();
  } finally {
    process.env = env;
  }
}
