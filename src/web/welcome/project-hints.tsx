/** @jsxImportSource preact */
/** What to do with a project in which nothing has happened since it was linked. */
import type { ProjectDetail } from "../../overview/projects/schema.ts";
import type { View } from "../view.ts";
import { reportBody, uploadBody } from "./steps.tsx";

/** Whether the project has no events except its own link. */
export const isUnused = ({ events }: ProjectDetail): boolean =>
  events.every(({ kind }) => kind === "project.linked");

export function ProjectHints({ view, project }: { view: View; project: ProjectDetail }) {
  const setup = { project, pendingAsset: null };
  return (
    <section class="hints">
      <h2>Next steps</h2>
      <p class="soft">
        Nothing has happened in {project.slug} yet. <a href="/welcome">Get started</a> has all steps.
      </p>
      <div class="hint-list">
        <div class="step-body">
          <h3>Report a run</h3>
          {reportBody(view, setup)}
        </div>
        <div class="step-body">
          <h3>Upload an asset</h3>
          {uploadBody(view, setup)}
        </div>
      </div>
    </section>
  );
}
