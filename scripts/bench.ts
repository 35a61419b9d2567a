/**
 * Measures, and prints: `npm run bench -- [jobs]` what a job costs (30 of them by default), `npm run bench -- checks [rounds]`
 * what each check costs a candidate, `npm run bench -- preflight [rounds]` what hostile documents cost, `npm run bench -- sandbox`
 * what the sandbox costs a run, `npm run bench -- scale [--long]` many jobs at once.
 */
if (process.argv[2] === 'sandbox') await import('./bench-sandbox.ts');
else if (process.argv[2] === 'checks') await import('./bench-checks.ts');
else if (process.argv[2] === 'preflight') await import('./bench-preflight.ts');
else if (process.argv[2] === 'scale') await import('./bench-scale.ts');
else await import('./bench-jobs.ts');
