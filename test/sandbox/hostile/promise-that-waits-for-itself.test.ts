import { attack } from './attack.ts';

attack('promise that waits for itself', {
  source: `export const handle = async () => {
  let resolve: any;
  const first: any = new Promise((done) => { resolve = done; });
  await Promise.race([first]);
  resolve();
};`,
  ends: ['timed-out'],
});
