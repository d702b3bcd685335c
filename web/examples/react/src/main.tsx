import "@patternfly/react-core/dist/styles/base.css";
import { VmrulesProvider } from "@vmrules/vmrules/react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { CpuMemoryModal } from "./CpuMemoryModal.js";
import { template, vm } from "./vm.js";

const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);

function Page() {
  const [saved, setSaved] = useState<object>();
  return (
    <VmrulesProvider>
      <h1>Virtual machine</h1>
      {saved === undefined ? (
        <CpuMemoryModal vm={vm} template={template} onSave={setSaved} />
      ) : (
        <output>{JSON.stringify(saved)}</output>
      )}
    </VmrulesProvider>
  );
}

const page = document.getElementById("page");
if (page) {
  createRoot(page).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
