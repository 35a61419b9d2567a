/** The entry point for Agora nodes (`protosmith/agora`). Pure; fetches nothing. */
export { frontMatterOf, isMultiround, libraryMetadata } from './front-matter.ts';
export { isHashOf, protocolHash } from './protocol-hash.ts';
export { type Received, type Receiving, receive } from './receive.ts';
export { type Dialect, failureReply, readReply, successReply } from './reply.ts';
export { base64SourceUriOf, documentInSource, sourceUriOf } from './source-uri.ts';
