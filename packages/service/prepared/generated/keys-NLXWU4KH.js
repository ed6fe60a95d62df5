import{j as a,k as b,l as c}from"./chunk-CXHVZGRC.js";import"./chunk-IKEOTRLC.js";export{b as generatePrivateKey,a as privateKeySigner,c as solanaKeySigner};
