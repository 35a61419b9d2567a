import * as esbuild from 'esbuild';

/** esbuild's `build`, in a process without this one's environment variables. */
export const build: typeof esbuild.build = (options) => withoutEnvironment(() => esbuild.build(options));

/** esbuild's `transform`, in the same process as `build`. */
export const transform: typeof esbuild.transform = (input, options) =>
  withoutEnvironment(() => esbuild.transform(input, options));

/**
 * esbuild reads hostile text, and its process would inherit the environment with keys and passwords. It has no option
 * against that. It starts its process synchronously in the first call, so nothing else sees the empty environment.
 */
function withoutEnvironment<Result>(start: () => Result): Result {
  const { env } = process;
  process.env = {};
  try {
    return start();
  } finally {
    process.env = env;
  }
}
