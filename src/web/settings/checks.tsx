/** @jsxImportSource preact */
/** What `svc doctor` finds in a moment. */
import type { Finding } from "../../api/doctor/finding.ts";
import { Code } from "./code.tsx";

const labels: Record<Finding["level"], [text: string, className: string]> = {
  ok: ["OK", "good"],
  warning: ["Warning", "warn"],
  error: ["Error", "bad"],
};

export const Checks = ({ findings }: { findings: Finding[] }) => (
  <section>
    <h2>Checks</h2>
    <table>
      <tbody>
        {findings.map(({ what, level, detail }) => (
          <tr key={what + detail}>
            <th scope="row">{what}</th>
            <td>
              <span class={`status ${labels[level][1]}`}>{labels[level][0]}</span>
            </td>
            <td class="grow">{detail}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p class="soft">To check all rows and files as well, run this on the machine that holds the database:</p>
    <Code text="svc doctor" />
  </section>
);
