import { attack } from './attack.ts';

attack('bundler legal comment', {
  source: `/*! @license </script> SECRET_FILE */
export const handle = () => 1;`,
  ends: ['returned'],
});
