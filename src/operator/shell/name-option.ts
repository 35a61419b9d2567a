import { NAME_PATTERN } from '../../../queues/index.ts';
import { UsageError } from './command.ts';

/** The name of a tenant that an option gives. Throws `UsageError` for anything that is not a name. */
export function nameOption(option: string, given: string): string {
  if (NAME_PATTERN.test(given)) return given;
  throw new UsageError(
    `Cannot read arguments: --${option} ${JSON.stringify(given.slice(0, 80))}, wanted 1 to 64 letters, digits, - and _`,
  );
}
