/**
 * Raw JSON inside a message: a placeholder stands for it until the message is text, then the JSON replaces
 * the placeholder. Feed pages are stored as JSON text, so they need not be parsed and serialized again for
 * each call.
 */

/** Returns a value that becomes this JSON when its message is serialized; use it once per message. */
export type InsertRawJson = (json: string) => Record<string, unknown>;

/** Random, so no content can contain it. */
const placeholderKey = crypto.randomUUID();
const placeholderText = JSON.stringify({ [placeholderKey]: true });

/** The placeholder carries its JSON along. */
class RawJsonPlaceholder {
  constructor(readonly json: string) {}

  toJSON(): true {
    return true;
  }
}

export const insertRawJson: InsertRawJson = (json) => ({ [placeholderKey]: new RawJsonPlaceholder(json) });

/** Serializes a message, with the placeholder replaced. */
export function serializeMessage(message: object): string {
  const { result } = message as { result?: { structuredContent?: Record<string, unknown> } };
  const placeholder = result?.structuredContent?.[placeholderKey];
  const text = JSON.stringify(message);
  if (!(placeholder instanceof RawJsonPlaceholder)) return text;
  const [before, after] = text.split(placeholderText) as [string, string];
  return before + placeholder.json + after;
}
