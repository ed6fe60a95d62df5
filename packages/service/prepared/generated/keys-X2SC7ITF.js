import{j as e,k as r,l as a}from"./chunk-AY72PDDC.js";import"./chunk-TY5GZEOC.js";export{r as generatePrivateKey,e as privateKeySigner,a as solanaKeySigner};
