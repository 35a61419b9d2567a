import { attack } from './attack.ts';

attack('bundler source map comment', {
  source: `export const handle = () => { throw new Error('x'); };
//# sourceMappingURL=SECRET_FILE
//@ sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi9ldGMvcGFzc3dkIl0sIm1hcHBpbmdzIjoiQUFBQSJ9`,
  ends: ['threw'],
});
