/** The files that a run changed. */
import type { RunDetail } from "../../overview/runs/schema.ts";
import { pluralize } from "../format.ts";
import { Time } from "../time.tsx";

/** More are folded away. */
const shownMax = 10;

export const RunFiles = ({ run: { files } }: { run: Pick<RunDetail, "files"> }) => (
  <div id="run-files" data-live>
    {files.length > 0 && (
      <section>
        <h2>Files it changed</h2>
        <FileList files={files.slice(0, shownMax)} />
        {files.length > shownMax && (
          <details>
            <summary>{pluralize(files.length - shownMax, "more file")}</summary>
            <FileList files={files.slice(shownMax)} />
          </details>
        )}
      </section>
    )}
  </div>
);

const FileList = ({ files }: Pick<RunDetail, "files">) => (
  <ul class="plain-list">
    {files.map(({ path, at }) => (
      <li key={path}>
        <code>{path}</code>{" "}
        <span class="soft">
          <Time ts={at} />
        </span>
      </li>
    ))}
  </ul>
);
