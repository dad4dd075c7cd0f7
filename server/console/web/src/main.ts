import { mount } from 'svelte';

import './app.css';
import App from './App.svelte';
import { startTheme } from './kit/theme.svelte';
import { startRouter } from './router.svelte';
import { takeToken } from './wire/wire';

takeToken();
startTheme();
startRouter();
mount(App, { target: document.getElementById('app')! });
