import { attack } from './attack.ts';

attack('bundler require by an escaped name', {
  source: `declare const require: any;
export const handle = (request: any) => r\\u0065quire?.('../' + request.name + '.json');`,
  ends: ['refused'],
});
