import "@vmrules/vmrules/worker";
