/** Names what handlers are verified with; it changes with the checks, so that stored handlers are verified anew. */
export const verifierVersion = '3';
