/**
 * The version of the checks that verify handlers. Change it with the checks, so that stored handlers are verified
 * again.
 */
export const verifierVersion = '3';
