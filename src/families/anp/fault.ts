/** The kinds of faults. */
export type FaultKind =
  /** No byte at all, not even a header. */
  | 'empty'
  /** More bytes than allowed. */
  | 'too-large'
  /** A frame of another type than wanted. */
  | 'type'
  /** Bytes that are not UTF-8, or half a surrogate pair. */
  | 'unicode'
  /** Not JSON, JSON nested deeper than 64 levels, or a number too large for a double. */
  | 'json'
  /** No known `action` or `type`. */
  | 'unknown'
  /** A member that the message's schema does not allow, or a missing one. */
  | 'member'
  /** A round that may not follow: its number, its sender, the text that it accepts, or its time. */
  | 'sequence'
  | 'turn'
  | 'document'
  | 'rounds'
  | 'closed'
  /** Messages that agree on nothing, or on cases that cannot be read. */
  | 'not-accepted'
  | 'cases'
  /** A handler that gave no answer. */
  | 'handler'
  /** The other side confirms what nobody offered. */
  | 'not-offered';

/** A fault as a value: nothing here throws. */
export interface Fault {
  ok: false;
  fault: FaultKind;
  /** JSON pointer (RFC 6901) to the member, if there is one. */
  pointer?: string;
  /** `Cannot <verb> <object>: <found>, <wanted>`. */
  message: string;
}

/** Makes a fault. */
export function fault(kind: FaultKind, message: string, pointer?: string): Fault {
  return { ok: false, fault: kind, ...(pointer === undefined ? {} : { pointer }), message };
}
