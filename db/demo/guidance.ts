/** Guidance of the demo's model vendors, shortened to what an agent can use. */
import type { GuidanceSection } from "../../src/memory/rows.ts";

export interface Advice {
  model: string;
  source: string;
  sections: GuidanceSection[];
}

const advice = (
  model: string,
  page: string,
  sections: [file: string, path: string, text: string][],
): Advice => ({
  model,
  source: `https://guides.example/${model}/${page}`,
  sections: sections.map(([file, path, text]) => ({ file, path: path.split(" › "), text })),
});

export const guidance: Advice[] = [
  advice("claude-sonnet-4-5", "guide", [
    [
      "guide.md",
      "Tasks › Say what done means",
      "Name the command that must pass and what must not change. A goal with a check is worth more " +
        "than ten rules of style.",
    ],
    [
      "guide.md",
      "Tasks › One at a time",
      "Give one task to a run. What you remember meanwhile is the next issue, not the next sentence.",
    ],
    [
      "guide.md",
      "Context › Point, do not paste",
      "Name files and lines and let the model read them. A pasted file is out of date at the second step.",
    ],
    [
      "guide.md",
      "Context › Long runs",
      "Ask for a short note of what was decided before the context is full, and begin the next run with it.",
    ],
    [
      "guide.md",
      "Tools › Errors",
      "Return what went wrong and what is allowed. A bare code makes the model guess.",
    ],
  ]),
  advice("claude-sonnet-4-5", "skills", [
    [
      "review/SKILL.md",
      "Review",
      "Read the issue, then the tests, then the change. Say what you would not merge, with the line, " +
        "and nothing about taste.",
    ],
    [
      "release/SKILL.md",
      "Release",
      "Collect what callers can see since the last tag, write it for them, and stop before the tag.",
    ],
  ]),
  advice("claude-haiku-4-5", "guide", [
    ["guide.md", "Use › Small things", "Renames, texts, tests after an example. Give it the example."],
    ["guide.md", "Use › Not for", "A change that crosses more than three files goes to a larger model."],
    ["tidy/SKILL.md", "Tidy", "Change names and comments only; when a test changes, stop and say so."],
  ]),
  advice("gpt-5.1-codex", "guide", [
    ["guide.md", "Prompts › Short", "Leave out the preamble. The task, the files, the check."],
    [
      "guide.md",
      "Prompts › Effort",
      "Raise the effort for migrations and for bugs nobody could reproduce, leave it low for the rest.",
    ],
    [
      "guide.md",
      "Patches",
      "It writes patches, not files. Ask again when a patch does not apply; do not mend it by hand.",
    ],
  ]),
  advice("gemini-2.5-pro", "guide", [
    [
      "guide.md",
      "Context › Size",
      "A whole module fits. Put the question behind the files, not before them.",
    ],
    ["guide.md", "Output", "Ask for the form you need by an example of it."],
    [
      "figures/SKILL.md",
      "Figures",
      "It reads screenshots: give it the picture before and after, and ask what changed.",
    ],
  ]),
];
