/* tune_configs.h - the tiles that tune_gemm tries, numbered. */
#define SM90 TC_GEMM_SM90_DEFINE
#define SM80 TC_GEMM_SM80_DEFINE
#define PP .schedule = TC_PINGPONG
#define TUNE_0 SM90, .bm = 128, .bn = 192, .cluster_m = 2, PP
#define TUNE_1 SM90, .bm = 128, .bn = 192, .cluster_m = 2, PP, .epi_stages = 1
#define TUNE_2 SM90, .bm = 128, .bn = 192, PP
#define TUNE_3 SM90, .bm = 128, .bn = 192, PP, .epi_stages = 1
#define TUNE_4 SM90, .bm = 192, .bn = 128, .cluster_n = 2, PP
#define TUNE_5 SM90, .bm = 256, .bn = 192, .cluster_m = 2
#define TUNE_6 SM90, .bm = 128, .bn = 192, .cluster_m = 2, PP, .raster_group = 4
#define TUNE_7 SM90, .bm = 128, .bn = 192, .cluster_m = 2, PP, .raster_group = 12
#define TUNE_8 SM90, .bm = 128, .bn = 128, PP
#define TUNE_9 SM90, .bm = 128, .bn = 128, .cluster_m = 2, PP
#define TUNE_10 SM90, .bm = 128, .bn = 256, .cluster_m = 2
#define TUNE_11 SM90, .bm = 128, .bn = 160, .cluster_m = 2, PP
#define TUNE_12 SM90, .bm = 64, .bn = 128, PP
#define TUNE_13 SM90, .bm = 64, .bn = 128, .cluster_m = 2, PP
#define TUNE_14 SM90, .bm = 64, .bn = 128, .cluster_m = 2, .cluster_n = 2, PP
#define TUNE_15 SM90, .bm = 128, .bn = 80, .cluster_m = 2, .cluster_n = 2
#define TUNE_16 SM90, .bm = 64, .bn = 192, .cluster_m = 2, PP
#define TUNE_17 SM90, .bm = 64, .bn = 144, .cluster_m = 2, PP
#define TUNE_18 SM90, .bm = 64, .bn = 160, .cluster_m = 2, PP
#define TUNE_19 SM90, .bm = 128, .bn = 64, .cluster_m = 2, PP
#define TUNE_20 SM90, .bm = 64, .bn = 128, .cluster_m = 2, .consumers = 1
#define TUNE_21 SM90, .bm = 128, .bn = 192, .cluster_k = 2
#define TUNE_22 SM80, .bm = 128, .bn = 256
#define TUNE_23 SM80, .bm = 128, .bn = 128
#define TUNE_ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
