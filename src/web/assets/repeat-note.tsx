/** @jsxImportSource preact */
/** That a file was rejected before, why, and why it was uploaded again. */
import type { Repeats } from "../../library/repeats/schema.ts";

export const RepeatNote = ({ repeats: { id, note, reason } }: { repeats: Repeats }) => (
  <>
    the same file was <a href={`/assets/${id}`}>rejected</a>
    {note !== null && (
      <>
        : “<bdi>{note}</bdi>”
      </>
    )}
    {reason !== null && (
      <>
        {" "}
        Uploaded again because: “<bdi>{reason}</bdi>”
      </>
    )}
  </>
);
